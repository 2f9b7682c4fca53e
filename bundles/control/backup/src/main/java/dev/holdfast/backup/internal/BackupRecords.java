package dev.holdfast.backup.internal;

import dev.holdfast.backupstore.BackupName;
import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.BackupState;
import dev.holdfast.resource.backup.BackupStatus;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.time.Instant;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** Records the observed state of a backup, whose status other nodes may write at the same time. */
final class BackupRecords {
  private static final int ATTEMPTS = 10;

  private BackupRecords() {}

  /** Returns the names of a backup at its target. */
  static BackupName nameOf(Backup backup) {
    return new BackupName(backup.spec().volume(), backup.nameAtTarget());
  }

  /** Returns the complete backups that this cluster made of the same volume at the same target. */
  static Stream<Backup> completed(Backup backup, ReconcileContext context) {
    return context.list(Backup.KIND, LabelSelector.ALL).stream()
        .filter(other -> other.status().state() == BackupState.COMPLETED)
        .filter(other -> !other.isDiscovered() && !other.isBeingDeleted())
        .filter(other -> other.spec().volume().equals(backup.spec().volume()))
        .filter(other -> other.spec().backupTargetName().equals(backup.spec().backupTargetName()));
  }

  /** Returns the number of the next completion, higher than all known numbers. */
  static long nextCompletion(Backup backup, ReconcileContext context) {
    return 1 + completed(backup, context).mapToLong(b -> b.status().completion()).max().orElse(0);
  }

  /** Changes the status of a backup in progress; a backup that has ended is not changed. */
  static void change(ResourceStore store, Backup about, UnaryOperator<BackupStatus> change)
      throws StorageException {
    change(store, about, BackupState.IN_PROGRESS, change);
  }

  /** Changes the status of a backup in a given state; a backup in another state is not changed. */
  static void change(
      ResourceStore store, Backup about, BackupState state, UnaryOperator<BackupStatus> change)
      throws StorageException {
    for (int attempt = 1; ; attempt++) {
      Optional<Backup> stored =
          store
              .get(Backup.KIND, about.name())
              .filter(found -> found.metadata().uid().equals(about.metadata().uid()))
              .filter(found -> found.status().state() == state);
      if (stored.isEmpty()) {
        return;
      }
      BackupStatus next = change.apply(stored.get().status());
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

  /** Returns the status after a failed attempt. */
  static BackupStatus failed(BackupStatus status, StorageException why, Instant now) {
    boolean lasting =
        switch (why.code()) {
          case INVALID, UNSUPPORTED -> true;
          case NOT_FOUND,
              ALREADY_EXISTS,
              CONFLICT,
              NO_SPACE,
              BUSY,
              UNREACHABLE,
              TIMEOUT,
              EXPIRED,
              FORBIDDEN,
              IO,
              INTERNAL ->
              false;
        };
    int attempts = status.attempts() + 1;
    return status
        .withState(BackupState.ERROR)
        .withAttempts(attempts)
        .withNextAttemptAt(
            lasting ? Optional.empty() : Optional.of(AttemptPauses.next(attempts, now)))
        .withError(String.valueOf(why.getMessage()));
  }
}
