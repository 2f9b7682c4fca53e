package dev.holdfast.engine.lvm.internal;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.engine.SnapshotInfo;
import dev.holdfast.engine.SnapshotRequest;
import dev.holdfast.engine.lvm.blobs.Blob;
import dev.holdfast.engine.lvm.internal.device.AlignedDevice;
import dev.holdfast.engine.lvm.internal.device.RawDevice;
import dev.holdfast.engine.lvm.internal.device.RawDevice.Access;
import dev.holdfast.engine.lvm.internal.replica.LvmReplica;
import dev.holdfast.engine.lvm.internal.replica.StoredSnapshot;
import dev.holdfast.engine.lvm.internal.replica.StoredSnapshot.Phase;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The snapshots of an open volume. The monitor of the volume guards it. */
final class LvmSnapshots {
  private static final Logger LOG = LoggerFactory.getLogger(LvmSnapshots.class);
  private static final int MOST = 250;

  private final OpenReplica replica;
  private final AlignedDevice device;
  private final Object volume;
  private final BlobReaders readers;

  /**
   * Creates the snapshots of a volume.
   *
   * @param volume whose monitor guards this
   */
  LvmSnapshots(OpenReplica replica, AlignedDevice device, Object volume) {
    this.replica = replica;
    this.device = device;
    this.volume = volume;
    this.readers = new BlobReaders(replica, volume, this::deleteUnread);
  }

  BlobReaders readers() {
    return readers;
  }

  private void requireThin() throws StorageException {
    if (!replica.isThin()) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          "volume "
              + replica.volume()
              + " is linear, and linear volumes have no snapshots:"
              + " create a volume with the option mode=thin");
    }
  }

  private StoredSnapshot require(String name) throws StorageException {
    return replica
        .snapshot(name)
        .orElseThrow(
            () ->
                new StorageException(
                    ErrorCode.NOT_FOUND,
                    "volume "
                        + replica.volume()
                        + " has no snapshot "
                        + name
                        + ": it has "
                        + replica.record().snapshots().stream()
                            .map(StoredSnapshot::name)
                            .toList()));
  }

  SnapshotInfo create(SnapshotRequest request) throws StorageException {
    requireThin();
    Optional<StoredSnapshot> present = replica.record().snapshot(request.name());
    if (present.isPresent() && present.get().phase() == Phase.PRESENT) {
      return info(present.get());
    }
    if (present.isPresent()) {
      requireUnread(present.get());
      delete(present.get()); // of another moment
    }
    if (replica.record().snapshots().size() >= MOST) {
      throw new StorageException(
          ErrorCode.INVALID,
          "volume "
              + replica.volume()
              + " has "
              + MOST
              + " snapshots, which is the limit: delete one");
    }
    LvmReplica before = replica.record();
    StoredSnapshot next = StoredSnapshot.creating(request, before.nextBlob(), before.parent());
    replica.update(before.adding(next));
    try {
      replica.blobs().createCopy(replica.place().blob(next.blob()), replica.place().head());
    } catch (StorageException e) {
      undo(next, e);
      throw e;
    }
    replica.update(replica.record().marking(request.name(), Phase.PRESENT).above(request.name()));
    return info(require(request.name()));
  }

  private void undo(StoredSnapshot snapshot, StorageException cause) {
    try {
      delete(snapshot);
    } catch (StorageException e) {
      cause.addSuppressed(e); // a repetition or the next opening does it
    }
  }

  private void requireUnread(StoredSnapshot snapshot) throws StorageException {
    if (readers.isRead(snapshot)) {
      throw new StorageException(
          ErrorCode.BUSY,
          "volume "
              + replica.volume()
              + ": the removed snapshot "
              + snapshot.name()
              + " is being read: try again later");
    }
  }

  private void delete(StoredSnapshot snapshot) throws StorageException {
    replica.blobs().delete(replica.place().blob(snapshot.blob()));
    replica.update(replica.record().without(snapshot));
  }

  List<SnapshotInfo> list() {
    return replica.record().snapshots().stream()
        .filter(snapshot -> snapshot.phase() != Phase.CREATING)
        .map(this::info)
        .toList();
  }

  /** LVM tells the space that a volume uses with all that it shares, which is not its own layer. */
  private SnapshotInfo info(StoredSnapshot snapshot) {
    LvmReplica record = replica.record();
    List<String> children = new ArrayList<>();
    for (StoredSnapshot other : record.snapshots()) {
      if (other.parent().equals(snapshot.name()) && other.phase() != Phase.CREATING) {
        children.add(other.name());
      }
    }
    if (record.parent().equals(snapshot.name())) {
      children.add(SnapshotInfo.HEAD);
    }
    return new SnapshotInfo(
        snapshot.name(),
        snapshot.parent(),
        children,
        snapshot.phase() == Phase.REMOVED,
        snapshot.userCreated(),
        snapshot.created(),
        snapshot.labels(),
        0,
        "");
  }

  void delete(String name) throws StorageException {
    Optional<StoredSnapshot> present = replica.record().snapshot(name);
    if (present.isEmpty()) {
      return;
    }
    if (present.get().phase() == Phase.PRESENT) {
      replica.update(replica.record().marking(name, Phase.REMOVED));
    }
    deleteUnread();
  }

  /** Deletes the removed snapshots that no reader uses; a failure is repeated by the next call. */
  void deleteUnread() {
    for (StoredSnapshot snapshot : replica.record().snapshots()) {
      if (snapshot.phase() != Phase.PRESENT && !readers.isRead(snapshot)) {
        try {
          delete(snapshot);
        } catch (StorageException e) {
          LOG.warn(
              "volume {}: could not delete snapshot {}, repeating it later: {}",
              replica.volume(),
              snapshot.name(),
              e.getMessage());
        }
      }
    }
  }

  /** Replaces the live content; what a crash interrupts, the next opening completes. */
  void revert(String name) throws StorageException {
    StoredSnapshot target = require(name);
    replica.update(replica.record().reverting(target.blob()));
    device.replace(
        () -> {
          replica.detachHead();
          replica.replaceHead();
          return replica.openHead();
        });
  }

  BlockDevice open(String name) throws StorageException {
    StoredSnapshot snapshot = require(name);
    long size = replica.blobs().size(replica.place().blob(snapshot.blob()));
    return readers.open(snapshot, size);
  }

  private boolean isAncestor(String older, String newer) {
    String at =
        newer.equals(SnapshotInfo.HEAD)
            ? replica.record().parent()
            : replica.record().snapshot(newer).map(StoredSnapshot::parent).orElse("");
    while (!at.isEmpty() && !at.equals(older)) {
      at = replica.record().snapshot(at).map(StoredSnapshot::parent).orElse("");
    }
    return at.equals(older);
  }

  /** Compares two contents. Needs the monitor only to begin and to end. */
  void changes(String older, String newer, ExtentVisitor visitor) throws StorageException {
    BlobComparison comparison;
    Optional<StoredSnapshot> base;
    Optional<StoredSnapshot> content;
    synchronized (volume) {
      requireThin();
      base = older.isEmpty() ? Optional.empty() : Optional.of(require(older));
      content = newer.equals(SnapshotInfo.HEAD) ? Optional.empty() : Optional.of(require(newer));
      if (base.isPresent() && !isAncestor(older, newer)) {
        throw new StorageException(
            ErrorCode.INVALID,
            "volume "
                + replica.volume()
                + ": snapshot "
                + older
                + " is not below "
                + newer
                + ": compare a snapshot with one below it");
      }
      comparison = begin(base, content);
    }
    try {
      Optional<Blob> blob = base.map(snapshot -> replica.place().blob(snapshot.blob()));
      Blob of =
          content
              .map(snapshot -> replica.place().blob(snapshot.blob()))
              .orElse(replica.place().head());
      comparison.run(replica.blobs(), blob, of, visitor);
    } finally {
      comparison.close();
      base.ifPresent(readers::leave);
      content.ifPresent(readers::leave);
    }
  }

  private BlobComparison begin(Optional<StoredSnapshot> base, Optional<StoredSnapshot> content)
      throws StorageException {
    Optional<RawDevice> older =
        base.isPresent() ? Optional.of(readers.enter(base.get())) : Optional.empty();
    try {
      RawDevice newer =
          content.isPresent()
              ? readers.enter(content.get())
              : replica.open(
                  replica.blobs().attach(replica.place().head(), OpenReplica.COOKIE).device(),
                  Access.READ);
      return new BlobComparison(
          "volume " + replica.volume(), older, newer, replica.context().buffers());
    } catch (StorageException | RuntimeException e) {
      if (older.isPresent()) {
        try {
          older.get().close();
        } catch (IOException failure) {
          e.addSuppressed(failure);
        }
        readers.leave(base.orElseThrow());
      }
      throw e;
    }
  }
}
