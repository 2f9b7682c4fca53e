package dev.holdfast.client;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.snapshot.SnapshotStatus;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeState;
import dev.holdfast.store.ResourceStore;
import java.util.Optional;
import java.util.function.Function;

/** Waits for a request on a snapshot, and reports the reason of the wait. Thread-safe. */
final class SnapshotProgress {
  private final ResourceStore store;

  SnapshotProgress(ResourceStore store) {
    this.store = store;
  }

  /** Waits until a snapshot reaches a wanted state; throws if it failed permanently. */
  Snapshot await(Snapshot snapshot, Waiting waiting, Function<Snapshot, Optional<Snapshot>> wanted)
      throws StorageException {
    try (ResourceWait observation = new ResourceWait(store)) {
      var seen = observation.follow(Snapshot.KIND, snapshot.name());
      var volume = observation.follow(Volume.KIND, snapshot.spec().volume());
      return observation.await(
          Snapshots.label(snapshot),
          waiting,
          () -> {
            Snapshot now =
                seen.latest()
                    .orElseThrow(
                        () ->
                            new StorageException(
                                ErrorCode.NOT_FOUND, Snapshots.label(snapshot) + " was deleted"));
            if (!now.status().error().isEmpty()) {
              throw new StorageException(
                  ErrorCode.IO, Snapshots.label(snapshot) + ": " + now.status().error());
            }
            return wanted.apply(now);
          },
          () -> seen.latest().map(s -> whyNotYet(s, volume.latest())).orElse("its end"));
    }
  }

  private static String whyNotYet(Snapshot snapshot, Optional<Volume> volume) {
    if (!snapshot.status().message().isEmpty()) {
      return snapshot.status().message();
    }
    return volume
        .filter(v -> v.status().state() != VolumeState.ATTACHED)
        .map(v -> "volume is " + v.status().state())
        .orElse("the engine");
  }

  static String whyNot(Snapshot snapshot) {
    SnapshotStatus status = snapshot.status();
    if (!status.error().isEmpty()) {
      return status.error();
    }
    if (!status.message().isEmpty()) {
      return status.message();
    }
    return status.markRemoved() || snapshot.isBeingDeleted()
        ? "its data to be coalesced"
        : "it is not taken yet";
  }

  /** Waits until a snapshot is deleted, or removed except for retained data. */
  Optional<Snapshot> awaitGone(Snapshot snapshot, Waiting waiting) throws StorageException {
    try (ResourceWait observation = new ResourceWait(store)) {
      var seen = observation.follow(Snapshot.KIND, snapshot.name());
      return observation.await(
          Snapshots.label(snapshot),
          waiting,
          () -> {
            Optional<Snapshot> now =
                seen.latest().filter(s -> s.metadata().uid().equals(snapshot.metadata().uid()));
            return now.isEmpty() || now.get().hasKeptData() ? Optional.of(now) : Optional.empty();
          },
          () -> seen.latest().map(SnapshotProgress::whyNot).orElse("its end"));
    }
  }
}
