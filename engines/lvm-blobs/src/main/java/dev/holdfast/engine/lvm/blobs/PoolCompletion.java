package dev.holdfast.engine.lvm.blobs;

import dev.holdfast.engine.lvm.blobs.PoolRecord.Attachment;
import dev.holdfast.engine.lvm.blobs.RecordedBlob.Phase;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;

/**
 * Completes what the record of a pool says is being done, for the call that wrote it and after a
 * crash.
 *
 * <pre>
 *   blob        (absent) ─► CREATING ─► PRESENT ◄─► EXTENDING
 *                              └───────────┴─► DELETING ─► (absent)
 *   attachment  (absent) ─► recorded ─► leaving ─► (absent)
 * </pre>
 */
final class PoolCompletion {
  private final PoolJournal journal;
  private final BlobSteps steps;

  PoolCompletion(PoolJournal journal, BlobSteps steps) {
    this.journal = journal;
    this.steps = steps;
  }

  /** Creates a blob that is recorded, and forgets it when that is impossible. */
  void create(Blob blob) throws StorageException {
    RecordedBlob wanted = journal.blob(blob).orElseThrow();
    if (wanted.phase() == Phase.DELETING) {
      throw new StorageException(
          ErrorCode.BUSY, "blob " + blob + " is being deleted: repeat the deletion first");
    }
    if (wanted.phase() != Phase.CREATING) {
      return;
    }
    try {
      steps.create(journal.pool(), wanted);
    } catch (StorageException e) {
      if (isLasting(e.code())) {
        abandon(blob, wanted, e);
      }
      throw e;
    }
    journal.write(journal.pool().with(wanted.in(Phase.PRESENT)));
  }

  private static boolean isLasting(ErrorCode code) {
    return switch (code) {
      case NO_SPACE, INVALID, UNSUPPORTED, NOT_FOUND -> true;
      case ALREADY_EXISTS, CONFLICT, BUSY, UNREACHABLE, TIMEOUT, EXPIRED, FORBIDDEN, IO, INTERNAL ->
          false;
    };
  }

  /** Removes the record and the volume of a blob that cannot be created. */
  private void abandon(Blob blob, RecordedBlob wanted, StorageException cause) {
    try {
      if (cause.code() != ErrorCode.INVALID) { // then the volume is of another program
        steps.delete(journal.pool(), wanted);
      }
      journal.write(journal.pool().without(blob.name()));
    } catch (StorageException e) {
      cause.addSuppressed(e); // the record stays, and a repetition or a deletion completes it
    }
  }

  /** Deletes a blob that is recorded so. */
  void delete(RecordedBlob blob) throws StorageException {
    steps.delete(journal.pool(), blob);
    journal.write(journal.pool().without(blob.name()));
  }

  /** Withdraws an attachment. When a program has the device open, the attachment stays. */
  void detach(RecordedBlob blob, Attachment attachment) throws StorageException {
    if (journal.pool().attachments(blob.name(), attachment.node()).size() == 1) {
      try {
        steps.detach(journal.pool(), blob);
      } catch (StorageException e) {
        if (e.code() == ErrorCode.BUSY) {
          journal.write(journal.pool().with(attachment.in(false)));
        }
        throw e;
      }
    }
    journal.write(journal.pool().without(attachment));
  }

  /** Without room the blob keeps the size that it has. */
  void extend(RecordedBlob wanted) throws StorageException {
    if (wanted.phase() != Phase.EXTENDING) {
      return;
    }
    try {
      steps.extend(journal.pool(), wanted);
    } catch (StorageException e) {
      if (e.code() == ErrorCode.NO_SPACE) {
        long size = steps.sizeBytes(wanted);
        journal.write(journal.pool().with(wanted.extended(size).in(Phase.PRESENT)));
      }
      throw e;
    }
    journal.write(journal.pool().with(wanted.in(Phase.PRESENT)));
  }

  /** The caller that repeats an extension is told why it is impossible; here it is undone. */
  void extendOrUndo(RecordedBlob blob) throws StorageException {
    try {
      extend(blob);
    } catch (StorageException e) {
      if (e.code() != ErrorCode.NO_SPACE) {
        throw e;
      }
    }
  }

  private void completeCreation(Blob blob) throws StorageException {
    try {
      create(blob);
    } catch (StorageException e) {
      if (journal.blob(blob).isPresent()) {
        throw e;
      }
    }
  }

  /** Completes the calls about blobs that a crash has interrupted. */
  void completeBlobs() throws StorageException {
    for (RecordedBlob blob : journal.pool().blobs()) {
      Blob name = new Blob(journal.group(), blob.name());
      switch (blob.phase()) {
        case CREATING -> completeCreation(name);
        case DELETING -> delete(blob);
        case EXTENDING, PRESENT -> extendOrUndo(blob);
      }
    }
  }

  /** Completes what a crash has interrupted, or undoes it where that is impossible. */
  void recover() throws StorageException {
    if (!journal.exists()) {
      return;
    }
    for (Attachment attachment : journal.pool().attachments()) {
      if (attachment.leaving()) {
        detach(journal.pool().blob(attachment.blob()).orElseThrow(), attachment);
      }
    }
    completeBlobs();
    if (!journal.exists()) {
      return;
    }
    steps.tidy(journal.pool());
    for (RecordedBlob blob : journal.pool().blobs()) {
      if (!journal.pool().attachments(blob.name()).isEmpty()) {
        AttachedBlob unused = steps.attach(journal.pool(), blob);
      }
    }
  }
}
