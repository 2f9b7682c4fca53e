package dev.holdfast.csi.internal.server;

import dev.holdfast.resource.snapshot.Snapshot;

/**
 * Label and annotation of the snapshots of a group, which the nodes that take the snapshots also
 * read.
 */
public final class GroupLabels {
  /** Label of a snapshot in a group: the group's id. */
  public static final String GROUP = Snapshot.GROUP_LABEL;

  /** Annotation with the volumes of the group, separated by commas. */
  public static final String VOLUMES = Snapshot.GROUP_VOLUMES_ANNOTATION;

  private GroupLabels() {}

  /** Returns the group of a snapshot, empty for none. */
  public static String of(Snapshot snapshot) {
    return snapshot.metadata().labels().getOrDefault(GROUP, "");
  }
}
