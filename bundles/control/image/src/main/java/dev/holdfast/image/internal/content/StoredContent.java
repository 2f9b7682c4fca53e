package dev.holdfast.image.internal.content;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.ExtentKind;
import dev.holdfast.engine.BaseEngine;
import dev.holdfast.engine.BaseLocation;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.BitSet;

/** Content of a sealed base of this node. Each call opens the base. Thread-safe. */
public final class StoredContent implements ImageContent {
  private static final long STEP = 1L << 30;

  private final BaseEngine engine;
  private final BaseLocation base;

  /**
   * Creates an object for a base without opening it.
   *
   * @param base with the checksum that it must have
   */
  public StoredContent(BaseEngine engine, BaseLocation base) {
    this.engine = engine;
    this.base = base;
  }

  @Override
  public void copyTo(long offset, long length, ContentSink sink) throws StorageException {
    try (BlockDevice device = engine.openBase(base)) {
      if (length > device.size() - offset) {
        throw new StorageException(
            ErrorCode.INVALID, "image " + base.image() + " has only " + device.size() + " bytes");
      }
      DiskContent.copy(device, offset, length, sink);
    }
  }

  @Override
  public BitSet dataClusters(long size, int cluster) throws StorageException {
    BitSet clusters = new BitSet();
    try (BlockDevice device = engine.openBase(base)) {
      for (long at = 0; at < size; at += STEP) {
        BlockIo.extents(
            device,
            at,
            Math.min(STEP, size - at),
            (offset, count, kind) -> {
              if (kind == ExtentKind.DATA) {
                clusters.set((int) (offset / cluster), (int) ((offset + count - 1) / cluster) + 1);
              }
              return true;
            });
      }
    }
    return clusters;
  }
}
