package dev.holdfast.engine.lvm.blobs;

import dev.holdfast.engine.lvm.blobs.PoolRecord.Attachment;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Attachments of one blob of a shared group on this node. Used by one thread. */
final class SharedAttachments {
  private static final int ATTEMPTS = 8;

  private final SharedGroup group;
  private final String node;
  private final Blob blob;
  private final String pool;
  private final PoolMemory memory;

  SharedAttachments(SharedGroup group, String node, Blob blob, String pool, PoolMemory memory) {
    this.group = group;
    this.node = node;
    this.blob = blob;
    this.pool = pool;
    this.memory = memory;
  }

  String pool() {
    return pool;
  }

  /**
   * Returns the blob in the record.
   *
   * @throws StorageException NOT_FOUND when it is absent, or is being created or deleted
   */
  RecordedBlob usable() throws StorageException {
    RecordedBlob present =
        group
            .records()
            .read(pool)
            .flatMap(version -> version.pool().blob(blob.name()))
            .orElseThrow(
                () ->
                    new StorageException(ErrorCode.NOT_FOUND, "blob " + blob + " does not exist"));
    if (!present.isUsable()) {
      throw new StorageException(
          ErrorCode.NOT_FOUND,
          "blob "
              + blob
              + " is not complete, it is "
              + present.phase().name().toLowerCase(Locale.ROOT)
              + ": repeat that call");
    }
    return present;
  }

  /** One change of the record. */
  private interface Change {
    Optional<PoolRecord> of(PoolRecord present);
  }

  /** Changes the record, again if another node changes it at the same time. */
  private Optional<PoolRecord> change(Change change) throws StorageException {
    for (int attempt = 1; ; attempt++) {
      Optional<PoolRecords.Version> version = group.records().read(pool);
      Optional<PoolRecord> next = version.flatMap(present -> change.of(present.pool()));
      if (next.isEmpty() || next.get().equals(version.orElseThrow().pool())) {
        return next;
      }
      try {
        return Optional.of(group.records().replace(version.orElseThrow(), next.get()).pool());
      } catch (StorageException e) {
        if (e.code() != ErrorCode.CONFLICT || attempt == ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  /**
   * Records a cookie.
   *
   * @return whether the pool is thin, and its nodes have to make their steps
   */
  boolean record(String cookie) throws StorageException {
    Attachment wanted = new Attachment(blob.name(), node, cookie, false);
    synchronized (memory) {
      Optional<PoolRecord> recorded =
          change(
              present ->
                  present
                      .blob(blob.name())
                      .filter(RecordedBlob::isUsable)
                      .map(usable -> present.with(wanted)));
      if (recorded.isEmpty()) {
        RecordedBlob unused = usable();
        throw new StorageException(ErrorCode.CONFLICT, "blob " + blob + " was changed: try again");
      }
      if (!recorded.get().isThin()) {
        connectLinear();
      }
      return recorded.get().isThin();
    }
  }

  /** Gives a linear blob its device, when it is attached on this node. */
  void connectLinear() throws StorageException {
    synchronized (memory) {
      Optional<PoolRecord> present =
          group.records().read(pool).map(PoolRecords.Version::pool).filter(one -> !one.isThin());
      if (present.isPresent() && present.get().attachedOn(node).contains(blob.name())) {
        AttachedBlob unused = group.host().attachLinear(present.get(), usable());
      }
    }
  }

  AttachedBlob device() throws StorageException {
    return group.host().device(usable());
  }

  /**
   * Withdraws a cookie; with the last one of this node its devices are removed.
   *
   * @return whether there was one, so that other nodes may have to make steps
   * @throws StorageException BUSY while a program has a device open; the cookie stays
   */
  boolean withdraw(String cookie) throws StorageException {
    Attachment leaving = new Attachment(blob.name(), node, cookie, true);
    synchronized (memory) {
      Optional<PoolRecord> marked =
          change(
              present ->
                  isPresent(present, leaving)
                      ? Optional.of(marked(present, leaving))
                      : Optional.empty());
      if (marked.isEmpty()) {
        return false;
      }
      if (marked.get().attachments(blob.name(), node).size() == 1) {
        remove(marked.get(), leaving);
      }
      Optional<PoolRecord> unused = change(present -> Optional.of(present.without(leaving)));
      return true;
    }
  }

  private static boolean isPresent(PoolRecord pool, Attachment attachment) {
    return pool.attachments().stream().anyMatch(attachment::isSame);
  }

  /** Only the last one is marked: its devices go. */
  private PoolRecord marked(PoolRecord pool, Attachment leaving) {
    List<Attachment> users = pool.attachments(blob.name(), node);
    return users.size() == 1 ? pool.with(leaving) : pool;
  }

  private void remove(PoolRecord recorded, Attachment leaving) throws StorageException {
    try {
      group.host().remove(recorded, blob.name(), memory);
    } catch (StorageException e) {
      if (e.code() == ErrorCode.BUSY) {
        Optional<PoolRecord> unused =
            change(present -> Optional.of(present.with(leaving.in(false))));
      }
      throw e;
    }
  }
}
