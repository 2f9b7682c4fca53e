package dev.holdfast.image.internal.content;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.engine.BaseWriter;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;

/**
 * Writes content to a device and computes its checksum. Overwrites the earlier content of the
 * device.
 */
public final class DeviceSink implements ContentSink {
  private final BlockDevice device;
  private final long size;
  private final ContentDigest digest;
  private final LongConsumer progress;
  private final BooleanSupplier cancelled;
  private final boolean resumable;
  private long at;

  /**
   * Creates a sink at the start of the device.
   *
   * @param device to be filled
   * @param size bytes of the content; the device may be larger
   * @param progress receives the number of processed bytes
   * @param cancelled ends the work when it returns true
   * @param resumable makes each region durable when it is complete
   */
  public DeviceSink(
      BlockDevice device,
      long size,
      LongConsumer progress,
      BooleanSupplier cancelled,
      boolean resumable) {
    this.device = device;
    this.size = size;
    this.digest = new ContentDigest(size);
    this.progress = progress;
    this.cancelled = cancelled;
    this.resumable = resumable;
  }

  @Override
  public void data(ByteBuffer bytes) throws StorageException {
    int count = bytes.remaining();
    require(count);
    digest.data(bytes);
    BlockIo.write(device, at, bytes);
    advance(count);
  }

  @Override
  public void zeroes(long length) throws StorageException {
    require(length);
    digest.zeroes(length);
    BlockIo.writeZeroes(device, at, length);
    advance(length);
  }

  /** Uses the content that the device has at the current position. */
  void keep(long length) throws StorageException {
    DiskContent.copy(
        device,
        at,
        length,
        new ContentSink() {
          @Override
          public void data(ByteBuffer bytes) throws StorageException {
            require(bytes.remaining());
            digest.data(bytes);
            kept(bytes.remaining());
          }

          @Override
          public void zeroes(long zeroes) throws StorageException {
            require(zeroes);
            digest.zeroes(zeroes);
            kept(zeroes);
          }
        });
  }

  private void require(long length) throws StorageException {
    if (cancelled.getAsBoolean()) {
      throw new StorageException(ErrorCode.TIMEOUT, "the copy was ended");
    } else if (length > size - at) {
      throw new StorageException(ErrorCode.INVALID, "the content has more than " + size + " bytes");
    }
  }

  private void advance(long length) throws StorageException {
    long before = at;
    kept(length);
    if (resumable && at / BaseWriter.REGION_BYTES > before / BaseWriter.REGION_BYTES) {
      BlockIo.flush(device);
    }
  }

  private void kept(long length) {
    at += length;
    progress.accept(at);
  }

  /**
   * Makes everything durable and returns the checksum.
   *
   * @throws StorageException INVALID if content is missing; IO
   */
  public String finish() throws StorageException {
    if (at != size) {
      throw new StorageException(
          ErrorCode.INVALID, "the content has " + at + " of " + size + " bytes");
    }
    if (device.size() > size) {
      BlockIo.writeZeroes(device, size, device.size() - size);
    }
    BlockIo.flush(device);
    return digest.finish();
  }
}
