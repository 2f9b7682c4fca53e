package dev.holdfast.csi.internal.server;

import dev.holdfast.resource.snapshot.Snapshot;

/** How the snapshots of a group are marked, which the nodes that take them read too. */
public final class GroupLabels {
  /** Label of a snapshot that is one of a group: the group's id. */
  public static final String GROUP = Snapshot.GROUP_LABEL;

  /** Annotation with the volumes of the group, separated by commas. */
  public static final String VOLUMES = Snapshot.GROUP_VOLUMES_ANNOTATION;

  private GroupLabels() {}

  /** Returns the group of a snapshot, empty for none. */
  public static String of(Snapshot snapshot) {
    return snapshot.metadata().labels().getOrDefault(GROUP, "");
  }
}
