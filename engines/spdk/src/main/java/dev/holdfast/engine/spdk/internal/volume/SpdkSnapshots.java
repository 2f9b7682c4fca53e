package dev.holdfast.engine.spdk.internal.volume;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.engine.SnapshotInfo;
import dev.holdfast.engine.SnapshotRequest;
import dev.holdfast.engine.spdk.internal.calls.LvolInfo;
import dev.holdfast.engine.spdk.internal.replica.LegRecord;
import dev.holdfast.engine.spdk.internal.replica.SnapshotRecord;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Snapshots of an open volume. The record is written after a snapshot was made and before one is
 * removed. The monitor of the volume guards it, except for comparisons.
 */
final class SpdkSnapshots {
  private static final Duration DRAIN = Duration.ofSeconds(30);

  private final ServedReplica replica;
  private final SpdkDevice device;
  private final SpdkSnapshotReaders readers;

  SpdkSnapshots(ServedReplica replica, SpdkDevice device) {
    this.replica = replica;
    this.device = device;
    this.readers = new SpdkSnapshotReaders(replica);
  }

  SpdkSnapshotReaders readers() {
    return readers;
  }

  private LegRecord record() {
    return replica.record();
  }

  private SnapshotRecord require(String name) throws StorageException {
    return record()
        .snapshot(name)
        .orElseThrow(
            () ->
                new StorageException(
                    ErrorCode.NOT_FOUND,
                    "volume " + replica.volume() + " has no snapshot " + name));
  }

  /** SPDK makes the snapshot between two requests, so one replica needs no hold. */
  SnapshotInfo create(SnapshotRequest request) throws StorageException {
    if (record().snapshot(request.name()).isEmpty()) {
      String lvol = replica.stored().place().fresh();
      SnapshotRecord made =
          new SnapshotRecord(
              lvol,
              request.name(),
              record().headParent(),
              false,
              request.userCreated(),
              request.created(),
              request.labels(),
              record().sizeBytes());
      replica.lvols().snapshot(replica.head(), lvol);
      replica.stored().write(record().with(made));
    }
    return info(require(request.name()));
  }

  List<SnapshotInfo> list() throws StorageException {
    List<SnapshotInfo> all = new ArrayList<>();
    for (SnapshotRecord one : record().snapshots()) {
      all.add(info(one));
    }
    return all;
  }

  private SnapshotInfo info(SnapshotRecord one) throws StorageException {
    List<String> children = new ArrayList<>();
    for (SnapshotRecord other : record().snapshots()) {
      if (other.parent().equals(one.lvol())) {
        children.add(other.name());
      }
    }
    if (record().headParent().equals(one.lvol())) {
      children.add(SnapshotInfo.HEAD);
    }
    return new SnapshotInfo(
        one.name(),
        record().stored(one.parent()).map(SnapshotRecord::name).orElse(""),
        children,
        one.removed(),
        one.userCreated(),
        one.created(),
        one.labels(),
        replica.stored().lvol(one.lvol()).map(LvolInfo::usedBytes).orElse(0L),
        "");
  }

  void delete(String name) throws StorageException {
    Optional<SnapshotRecord> present = record().snapshot(name);
    if (present.isPresent()) {
      replica.stored().write(record().withRemoved(present.get()));
    }
    purge();
  }

  /** Removes the deleted snapshots on which at most one other stands; each may free others. */
  void purge() throws StorageException {
    boolean progress = true;
    while (progress) {
      progress = false;
      for (SnapshotRecord one : record().snapshots()) {
        if (one.removed() && !readers.isRead(one.lvol()) && replica.stored().remove(one.lvol())) {
          replica.stored().write(record().without(one));
          progress = true;
        }
      }
    }
  }

  /**
   * Makes a new live content that stands on a snapshot. The record names it before the present one
   * is removed.
   */
  void revert(String name) throws StorageException {
    SnapshotRecord snapshot = require(name);
    String former = record().head();
    String next = replica.stored().place().fresh();
    replica.lvols().copy(replica.stored().place().alias(snapshot.lvol()), next);
    if (record().sizeBytes() > snapshot.sizeBytes()) {
      replica.lvols().resize(replica.stored().place().alias(next), record().sizeBytes());
    }
    device.hold(DRAIN);
    try {
      replica.hideHead();
      replica.stored().write(record().headed(next, snapshot.lvol()));
      replica.showHead();
      device.replace(replica.connect(), record().sizeBytes());
    } finally {
      device.release();
    }
    boolean gone = replica.stored().remove(former);
    if (!gone) {
      throw new StorageException(
          ErrorCode.BUSY, "volume " + replica.volume() + ": its former content is in use");
    }
    purge();
  }

  BlockDevice open(String name) throws StorageException {
    return readers.open(require(name));
  }

  private void requireAncestor(String older, String newer) throws StorageException {
    String wanted = require(older).lvol();
    String at = newer.equals(SnapshotInfo.HEAD) ? record().headParent() : require(newer).lvol();
    while (!at.isEmpty() && !at.equals(wanted)) {
      at = record().stored(at).map(SnapshotRecord::parent).orElse("");
    }
    if (at.isEmpty()) {
      throw new StorageException(
          ErrorCode.INVALID,
          "volume " + replica.volume() + ": snapshot " + older + " is not an ancestor of " + newer);
    }
  }

  /** The contents of a comparison; snapshots among them are closed with it. */
  private record Contents(Optional<BlockDevice> older, Optional<BlockDevice> newer) {
    void close() {
      older.ifPresent(BlockDevice::close);
      newer.ifPresent(BlockDevice::close);
    }
  }

  private Contents contents(String older, String newer) throws StorageException {
    if (!older.isEmpty()) {
      requireAncestor(older, newer);
    }
    Optional<BlockDevice> first = older.isEmpty() ? Optional.empty() : Optional.of(open(older));
    try {
      return new Contents(
          first, newer.equals(SnapshotInfo.HEAD) ? Optional.empty() : Optional.of(open(newer)));
    } catch (StorageException e) {
      first.ifPresent(BlockDevice::close);
      throw e;
    }
  }

  /** Compares contents. The volume's monitor is taken only to open them. */
  void changes(Object monitor, String older, String newer, ExtentVisitor visitor)
      throws StorageException {
    Contents contents;
    synchronized (monitor) {
      contents = contents(older, newer);
    }
    try {
      new ContentComparison(
              "volume " + replica.volume(),
              contents.older(),
              contents.newer().orElse(device),
              visitor)
          .run();
    } finally {
      contents.close();
    }
  }
}
