package dev.holdfast.engine.lvm.blobs;

import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.engine.lvm.blobs.PoolRecord.Attachment;
import dev.holdfast.engine.lvm.blobs.RecordedBlob.Phase;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * One call about one pool: checks it, writes what it is going to do, and lets it be completed. Used
 * by one thread, which keeps other calls about the pool out.
 */
final class PoolCall {
  private final PoolJournal journal;
  private final BlobSteps steps;
  private final PoolCompletion completion;

  PoolCall(PoolJournal journal, BlobSteps steps) {
    this.journal = journal;
    this.steps = steps;
    this.completion = new PoolCompletion(journal, steps);
  }

  private StorageException notFound(Blob blob) {
    return new StorageException(ErrorCode.NOT_FOUND, "blob " + blob + " does not exist");
  }

  /** Returns a blob whose bytes are there; completes an extension first. */
  private RecordedBlob usable(Blob blob) throws StorageException {
    completion.extendOrUndo(journal.blob(blob).orElseThrow(() -> notFound(blob)));
    RecordedBlob recorded = journal.blob(blob).orElseThrow(() -> notFound(blob));
    if (!recorded.isUsable()) {
      throw new StorageException(
          ErrorCode.NOT_FOUND,
          "blob "
              + blob
              + " is not complete, it is "
              + recorded.phase().name().toLowerCase(Locale.ROOT)
              + ": repeat that call");
    }
    return recorded;
  }

  void createEmpty(Blob blob, BlobOptions options, long sizeBytes) throws StorageException {
    Optional<RecordedBlob> present = journal.blob(blob);
    if (present.isEmpty()) {
      PoolRecord base = journal.exists() ? journal.pool() : journal.fresh(options);
      requireSame(blob, options, base.options());
      journal.write(base.with(new RecordedBlob(blob.name(), Phase.CREATING, sizeBytes, "")));
    } else {
      requireSame(blob, options, journal.pool().options());
      if (present.get().sizeBytes() != sizeBytes || !present.get().source().isEmpty()) {
        throw exists(
            blob, "with " + present.get().sizeBytes() + " B, " + sizeBytes + " B are requested");
      }
    }
    completion.create(blob);
  }

  private void requireSame(Blob blob, BlobOptions wanted, BlobOptions present)
      throws StorageException {
    boolean same =
        wanted.mode() == present.mode()
            && (wanted.mode() == BlobMode.THIN || wanted.wipe() == present.wipe());
    if (!same) {
      throw exists(blob, "with " + present + ", " + wanted + " are requested");
    }
  }

  private StorageException exists(Blob blob, String how) {
    return new StorageException(
        ErrorCode.ALREADY_EXISTS,
        "blob " + blob + " exists " + how + ": use another name, or delete it first");
  }

  void createCopy(Blob blob, Blob source) throws StorageException {
    Optional<RecordedBlob> present = journal.blob(blob);
    if (present.isEmpty()) {
      RecordedBlob original = usable(source);
      if (!journal.pool().isThin()) {
        throw new StorageException(
            ErrorCode.UNSUPPORTED,
            "blob " + blob + ": its source " + source + " is linear: only thin blobs have copies");
      }
      journal.write(
          journal
              .pool()
              .with(
                  new RecordedBlob(
                      blob.name(), Phase.CREATING, original.sizeBytes(), source.name())));
    } else if (!present.get().source().equals(source.name())) {
      throw exists(blob, "and is not a copy of " + source);
    }
    completion.create(blob);
  }

  void delete(Blob blob) throws StorageException {
    Optional<RecordedBlob> present = journal.blob(blob);
    if (present.isEmpty()) {
      return;
    }
    List<Attachment> users = journal.pool().attachments(blob.name());
    if (!users.isEmpty()) {
      String cookies =
          users.stream()
              .map(user -> user.cookie() + " on node " + user.node())
              .collect(Collectors.joining(", "));
      throw new StorageException(
          ErrorCode.BUSY, "blob " + blob + " is attached by " + cookies + ": detach it first");
    }
    for (RecordedBlob other : journal.pool().blobs()) {
      if (other.phase() == Phase.CREATING && other.source().equals(blob.name())) {
        throw new StorageException(
            ErrorCode.BUSY,
            "blob " + blob + " is being copied to " + other.name() + ": try again later");
      }
    }
    journal.write(journal.pool().with(present.get().in(Phase.DELETING)));
    completion.delete(journal.blob(blob).orElseThrow());
  }

  AttachedBlob attach(Blob blob, String cookie) throws StorageException {
    RecordedBlob present = usable(blob);
    Attachment wanted = new Attachment(blob.name(), journal.node(), cookie, false);
    if (!journal.pool().attachments().contains(wanted)) {
      journal.write(journal.pool().with(wanted));
    }
    return steps.attach(journal.pool(), present);
  }

  void detach(Blob blob, String cookie) throws StorageException {
    Optional<RecordedBlob> present = journal.blob(blob);
    if (present.isEmpty()) {
      return;
    }
    List<Attachment> users = journal.pool().attachments(blob.name(), journal.node());
    Optional<Attachment> leaving =
        users.stream().filter(user -> user.cookie().equals(cookie)).findFirst();
    if (leaving.isEmpty()) {
      return;
    }
    if (users.size() == 1 && !leaving.get().leaving()) {
      journal.write(journal.pool().with(leaving.get().in(true)));
    }
    completion.detach(present.get(), leaving.get());
  }

  void extend(Blob blob, long sizeBytes) throws StorageException {
    RecordedBlob present = usable(blob);
    if (sizeBytes < present.sizeBytes()) {
      throw new StorageException(
          ErrorCode.INVALID,
          "blob "
              + blob
              + " has "
              + present.sizeBytes()
              + " B and cannot shrink to "
              + sizeBytes
              + " B: use at least its size");
    }
    if (sizeBytes > present.sizeBytes()) {
      journal.write(journal.pool().with(present.extended(sizeBytes)));
    }
    completion.extend(journal.blob(blob).orElseThrow());
  }

  void changes(Optional<Blob> older, Blob newer, ExtentVisitor visitor) throws StorageException {
    RecordedBlob present = usable(newer);
    if (!journal.pool().isThin()) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED, "blob " + newer + " is linear: only thin blobs are compared");
    }
    Optional<RecordedBlob> base = Optional.empty();
    if (older.isPresent()) {
      base =
          older.get().group().equals(journal.group())
              ? journal.blob(older.get())
              : Optional.empty();
      if (base.isEmpty()) {
        throw new StorageException(
            ErrorCode.INVALID,
            "blob " + older.get() + " is not in the pool of blob " + newer + ": compare the bytes");
      }
    }
    steps.changes(journal.pool(), base, present, visitor);
  }
}
