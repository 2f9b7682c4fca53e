package dev.holdfast.block;

import java.nio.ByteBuffer;
import java.util.Objects;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Base of filters: forwards all calls to the device below. Override the methods that the filter
 * changes.
 */
@ConsumerType
public abstract class ForwardingBlockDevice implements BlockDevice {
  private final BlockDevice below;

  /**
   * Creates a filter.
   *
   * @param below the device to forward to, not null; closed with this one
   */
  protected ForwardingBlockDevice(BlockDevice below) {
    this.below = Objects.requireNonNull(below, "below");
  }

  /** Returns the device below, never null. */
  protected final BlockDevice below() {
    return below;
  }

  @Override
  public long size() {
    return below.size();
  }

  @Override
  public int blockSize() {
    return below.blockSize();
  }

  @Override
  public void read(long offset, ByteBuffer target, Completion completion) {
    below.read(offset, target, completion);
  }

  @Override
  public void write(long offset, ByteBuffer source, int flags, Completion completion) {
    below.write(offset, source, flags, completion);
  }

  @Override
  public void flush(Completion completion) {
    below.flush(completion);
  }

  @Override
  public void trim(long offset, long length, int flags, Completion completion) {
    below.trim(offset, length, flags, completion);
  }

  @Override
  public void writeZeroes(long offset, long length, int flags, Completion completion) {
    below.writeZeroes(offset, length, flags, completion);
  }

  @Override
  public void extents(long offset, long length, ExtentVisitor visitor, Completion completion) {
    below.extents(offset, length, visitor, completion);
  }

  @Override
  public void close() {
    below.close();
  }
}
