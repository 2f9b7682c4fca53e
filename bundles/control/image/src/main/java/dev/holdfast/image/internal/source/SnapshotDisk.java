package dev.holdfast.image.internal.source;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.ExtentKind;
import dev.holdfast.datapath.AttachedVolume;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.SnapshotVolume;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.image.internal.content.BlockIo;
import dev.holdfast.imagesource.SourceDisk;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.concurrent.CompletionException;

/**
 * A snapshot of a volume that is open on this node, read through its whole chain and its base. Each
 * read is one step on the attached volume, so that the volume can be closed in between. For one
 * thread.
 */
final class SnapshotDisk implements SourceDisk {
  private static final int CLUSTER = 64 << 10;
  private static final int PIECE = 4 << 20;

  private final String volume;
  private final AttachedVolume attached;
  private final String snapshot;
  private final long size;
  // A snapshot never changes.
  private BitSet data;

  private SnapshotDisk(String volume, AttachedVolume attached, String snapshot, long size) {
    this.volume = volume;
    this.attached = attached;
    this.snapshot = snapshot;
    this.size = size;
  }

  static SnapshotDisk open(String volume, AttachedVolume attached, String snapshot)
      throws StorageException {
    SnapshotDisk unsized = new SnapshotDisk(volume, attached, snapshot, 0);
    long size =
        unsized.step(
            opened -> {
              try (BlockDevice device = opened.openSnapshot(snapshot)) {
                return device.size();
              }
            });
    return new SnapshotDisk(volume, attached, snapshot, size);
  }

  /** One step on the open volume. */
  private interface Step<T> {
    T run(SnapshotVolume opened) throws StorageException;
  }

  private <T> T step(Step<T> step) throws StorageException {
    try {
      return attached.operate((opened, status) -> step.run(able(opened))).join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof StorageException failure) {
        throw failure;
      }
      throw e;
    }
  }

  private SnapshotVolume able(OpenVolume opened) throws StorageException {
    if (opened instanceof SnapshotVolume snapshots) {
      return snapshots;
    }
    throw new StorageException(
        ErrorCode.UNSUPPORTED, "volume " + volume + ": its engine does not support snapshots");
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public BitSet dataClusters(int cluster) throws StorageException {
    return step(
        opened -> {
          BitSet clusters = new BitSet();
          opened.changes(
              "",
              snapshot,
              (offset, length, kind) -> {
                if (kind == ExtentKind.DATA && length > 0) {
                  clusters.set(
                      (int) (offset / cluster), (int) ((offset + length - 1) / cluster) + 1);
                }
                return true;
              });
          return clusters;
        });
  }

  @Override
  public void copy(long offset, long length, Target target) throws StorageException {
    if (data == null) {
      data = dataClusters(CLUSTER);
    }
    long end = offset + length;
    for (long at = offset; at < end; ) {
      int cluster = (int) (at / CLUSTER);
      boolean stored = data.get(cluster);
      int next = stored ? data.nextClearBit(cluster) : data.nextSetBit(cluster);
      long until = next < 0 ? end : Math.min(end, (long) next * CLUSTER);
      if (stored) {
        long count = Math.min(PIECE, until - at);
        target.data(read(at, (int) count));
        at += count;
      } else {
        target.zeroes(until - at);
        at = until;
      }
    }
  }

  private ByteBuffer read(long offset, int length) throws StorageException {
    return step(
        opened -> {
          ByteBuffer bytes = ByteBuffer.allocateDirect(length);
          try (BlockDevice device = opened.openSnapshot(snapshot)) {
            BlockIo.read(device, offset, bytes);
          }
          return bytes.flip();
        });
  }

  @Override
  public void close() {
    // The snapshot is opened for each read.
  }
}
