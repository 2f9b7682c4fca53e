package dev.holdfast.snapshot.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Snapshots of several volumes that must be consistent with each other, according to their
 * resources.
 *
 * @param id of the group
 * @param volumes volumes with one snapshot each in the group
 */
record SnapshotGroup(String id, SortedSet<String> volumes) {
  /** Label of a snapshot of a group: the group's id. */
  static final String GROUP = Snapshot.GROUP_LABEL;

  /** Annotation with the volumes of the group, separated by commas. */
  static final String VOLUMES = Snapshot.GROUP_VOLUMES_ANNOTATION;

  /** Returns the group of a snapshot, empty for none. */
  static Optional<SnapshotGroup> of(Snapshot snapshot) {
    String id = snapshot.metadata().labels().getOrDefault(GROUP, "");
    if (id.isEmpty()) {
      return Optional.empty();
    }
    SortedSet<String> volumes = new TreeSet<>();
    for (String volume :
        snapshot.metadata().annotations().getOrDefault(VOLUMES, "").split(",", -1)) {
      volumes.add(volume);
    }
    volumes.add(snapshot.spec().volume());
    volumes.remove("");
    return Optional.of(new SnapshotGroup(id, volumes));
  }

  /**
   * Checks that no other snapshot of the group was taken, because a later snapshot has the content
   * of another time. This happens if this process died while it took them.
   *
   * @throws StorageException INVALID if one was taken
   */
  void requireWhole(ResourceStore store) throws StorageException {
    for (Snapshot other : store.list(Snapshot.KIND, LabelSelector.label(GROUP, id)).items()) {
      if (other.status().creationTime().isPresent() || !other.status().error().isEmpty()) {
        throw new StorageException(
            ErrorCode.INVALID,
            "its group "
                + id
                + " is not consistent: the snapshot of volume "
                + other.spec().volume()
                + (other.status().error().isEmpty()
                    ? " was taken without it"
                    : " failed: " + other.status().error()));
      }
    }
  }
}
