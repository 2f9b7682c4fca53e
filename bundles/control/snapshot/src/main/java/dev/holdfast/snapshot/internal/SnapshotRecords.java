package dev.holdfast.snapshot.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.snapshot.SnapshotStatus;
import dev.holdfast.store.ResourceStore;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * Records the observed state of a snapshot, whose status other components may write at the same
 * time.
 */
final class SnapshotRecords {
  private static final int ATTEMPTS = 10;

  private SnapshotRecords() {}

  /** Changes a status, unless the snapshot is gone or the status is unchanged. */
  static void change(ResourceStore store, Snapshot about, UnaryOperator<SnapshotStatus> change)
      throws StorageException {
    for (int attempt = 1; ; attempt++) {
      Optional<Snapshot> stored =
          store
              .get(Snapshot.KIND, about.name())
              .filter(s -> s.metadata().uid().equals(about.metadata().uid()));
      if (stored.isEmpty()) {
        return;
      }
      SnapshotStatus next = change.apply(stored.get().status());
      if (next.equals(stored.get().status())) {
        return;
      }
      try {
        store.updateStatus(stored.get().withStatus(next));
        return;
      } catch (StorageException e) {
        if (e.code() != ErrorCode.CONFLICT || attempt == ATTEMPTS) {
          throw e;
        }
      }
    }
  }
}
