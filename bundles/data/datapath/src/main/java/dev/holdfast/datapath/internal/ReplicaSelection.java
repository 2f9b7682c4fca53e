package dev.holdfast.datapath.internal;

import dev.holdfast.datapath.ReplicaPlaces;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.Replica;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The replicas for opening a volume: all provisioned ones that were not abandoned, including
 * unreachable ones, because their records may matter. The first opening waits for new replicas
 * until they are created or creation fails; later replicas need a rebuild anyway.
 *
 * @param locations locations of these replicas
 * @param awaited names of the replicas that are still being created
 */
record ReplicaSelection(List<ReplicaLocation> locations, List<String> awaited) {
  private static final Set<String> PASSING =
      Set.of(
          Replica.DISK_UNKNOWN_REASON,
          Engine.NOT_INSTALLED_REASON,
          "Busy",
          "Timeout",
          Engine.UNREACHABLE_REASON,
          Replica.WAITS_FOR_CONTENT_REASON,
          Replica.WAITS_FOR_IMAGE_REASON);

  ReplicaSelection {
    locations = List.copyOf(locations);
    awaited = List.copyOf(awaited);
  }

  /**
   * Selects the replicas.
   *
   * @param openedBefore whether the volume was opened before, so that it has members
   */
  static ReplicaSelection of(List<Replica> replicas, boolean openedBefore, ReplicaPlaces places)
      throws StorageException {
    List<ReplicaLocation> locations = new ArrayList<>();
    List<String> awaited = new ArrayList<>();
    for (Replica replica : replicas) {
      boolean usable =
          replica.spec().failedAt().isEmpty() && replica.isScheduled() && !replica.isDisposable();
      if (usable && replica.wasProvisioned()) {
        locations.add(places.of(replica));
      } else if (usable && !openedBefore && !cannotBeMade(replica)) {
        awaited.add(replica.name());
      }
    }
    return new ReplicaSelection(locations, awaited);
  }

  /** Returns whether an obstacle exists that needs a user's action. */
  private static boolean cannotBeMade(Replica replica) {
    return Condition.find(replica.status().conditions(), Replica.PROVISIONED_CONDITION)
        .filter(condition -> condition.status() == Condition.Status.FALSE)
        .filter(condition -> !PASSING.contains(condition.reason()))
        .isPresent();
  }

  /** Returns the locations when the volume can be opened now. */
  List<ReplicaLocation> requireReady(String volume) throws StorageException {
    if (!awaited.isEmpty()) {
      throw new StorageException(
          ErrorCode.BUSY,
          "volume " + volume + ": waits until its replicas are provisioned: " + awaited);
    }
    if (locations.isEmpty()) {
      throw new StorageException(
          ErrorCode.UNREACHABLE,
          "volume " + volume + " has no usable replica: see why its replicas are not provisioned");
    }
    return locations;
  }
}
