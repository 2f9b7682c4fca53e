package dev.holdfast.engine.lvm.internal.device;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.BlockRanges;
import dev.holdfast.block.Completion;
import dev.holdfast.block.ExtentKind;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.block.IoFlags;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A block device over aligned requests. Requests complete before they return. Those for parts of
 * blocks read the block, change it and write it. They exclude all others until then, because
 * another write of the block in between would be lost.
 */
public final class AlignedDevice implements BlockDevice {
  private static final Logger LOG = LoggerFactory.getLogger(AlignedDevice.class);
  private static final int BLOCK = RawDevice.ALIGNMENT;

  private final String name;
  private final boolean writable;
  private final AlignedBuffers buffers;
  private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
  private final ZeroRanges zeroes;
  private RawDevice raw;
  private volatile long size;
  private boolean closed;

  /**
   * Creates a device.
   *
   * @param name of the volume or snapshot, for messages
   * @param raw closed with this one
   * @param size in bytes, a multiple of 4096
   * @param writable whether changes are permitted
   */
  public AlignedDevice(
      String name, RawDevice raw, long size, boolean writable, AlignedBuffers buffers) {
    this.name = name;
    this.raw = raw;
    this.size = size;
    this.writable = writable;
    this.buffers = buffers;
    this.zeroes = new ZeroRanges(buffers);
  }

  /** A request that may fail. */
  private interface Request {
    void run(RawDevice raw) throws IOException;
  }

  private StorageException attempt(Lock with, Request request) {
    with.lock();
    try {
      if (closed) {
        return new StorageException(ErrorCode.IO, name + ": the device is closed");
      }
      request.run(raw);
      return null;
    } catch (IOException e) {
      return StorageException.io(name, e);
    } finally {
      with.unlock();
    }
  }

  /** Replacement of the device below. */
  public interface Replacement {
    /**
     * Makes the next device below, after the former one was closed.
     *
     * @throws StorageException then the device stays closed
     */
    RawDevice next() throws StorageException;
  }

  /**
   * Replaces the device below while no request is in flight; requests wait.
   *
   * @throws StorageException of the replacement: the device is closed
   */
  public void replace(Replacement replacement) throws StorageException {
    lock.writeLock().lock();
    try {
      close();
      raw = replacement.next();
      closed = false;
    } finally {
      lock.writeLock().unlock();
    }
  }

  /** Makes the device larger; the one below is already. */
  public void grow(long newSize) {
    size = Math.max(size, newSize);
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public int blockSize() {
    return BLOCK;
  }

  @Override
  public void read(long offset, ByteBuffer target, Completion completion) {
    if (BlockRanges.inside(offset, target.remaining(), size, completion)) {
      completion.completed(attempt(lock.readLock(), device -> readAll(device, offset, target)));
    }
  }

  private void readAll(RawDevice device, long offset, ByteBuffer target) throws IOException {
    if (isWhole(offset, target.remaining()) && AlignedBuffers.isAligned(target)) {
      device.read(offset, target);
      return;
    }
    for (long at = offset; target.hasRemaining(); ) {
      long first = at - at % BLOCK;
      int length = (int) Math.min(AlignedBuffers.SIZE, up(at + target.remaining()) - first);
      ByteBuffer buffer = buffers.take(length);
      try {
        device.read(first, buffer);
        int skipped = (int) (at - first);
        int count = Math.min(length - skipped, target.remaining());
        target.put(buffer.position(skipped).limit(skipped + count));
        at += count;
      } finally {
        buffers.giveBack(buffer);
      }
    }
  }

  private static boolean isWhole(long offset, long length) {
    return (offset | length) % BLOCK == 0;
  }

  private static long up(long offset) {
    return (offset + BLOCK - 1) / BLOCK * BLOCK;
  }

  private boolean refused(Completion completion) {
    if (!writable) {
      completion.completed(
          new StorageException(
              ErrorCode.UNSUPPORTED, name + ": it is read-only: clone it to change it"));
    }
    return !writable;
  }

  @Override
  public void write(long offset, ByteBuffer source, int flags, Completion completion) {
    int length = source.remaining();
    if (refused(completion) || !BlockRanges.inside(offset, length, size, completion)) {
      return;
    }
    completion.completed(
        attempt(
            isWhole(offset, length) ? lock.readLock() : lock.writeLock(),
            device -> {
              writeAll(device, offset, source);
              settle(device, flags);
            }));
  }

  private static void settle(RawDevice device, int flags) throws IOException {
    if ((flags & IoFlags.FUA) != 0) {
      device.flush();
    }
  }

  private void writeAll(RawDevice device, long offset, ByteBuffer source) throws IOException {
    if (isWhole(offset, source.remaining()) && AlignedBuffers.isAligned(source)) {
      device.write(offset, source);
      return;
    }
    for (long at = offset; source.hasRemaining(); ) {
      long first = at - at % BLOCK;
      int length = (int) Math.min(AlignedBuffers.SIZE, up(at + source.remaining()) - first);
      int count = (int) Math.min(first + length - at, source.remaining());
      ByteBuffer buffer = buffers.take(length);
      try {
        readEdges(device, first, buffer, (int) (at - first), count);
        int limit = source.limit();
        source.limit(source.position() + count);
        buffer.clear().position((int) (at - first)).put(source);
        source.limit(limit);
        device.write(first, buffer.position(0).limit(length));
        at += count;
      } finally {
        buffers.giveBack(buffer);
      }
    }
  }

  /** Reads the first and the last block of a piece that are not overwritten completely. */
  private static void readEdges(
      RawDevice device, long first, ByteBuffer buffer, int from, int count) throws IOException {
    int length = buffer.limit();
    int last = length - BLOCK;
    if (from > 0) {
      device.read(first, buffer.position(0).limit(BLOCK));
    }
    if (from + count < length && (last > 0 || from == 0)) {
      device.read(first + last, buffer.limit(length).position(last));
    }
  }

  @Override
  public void flush(Completion completion) {
    completion.completed(attempt(lock.readLock(), RawDevice::flush));
  }

  /** Blocks at the edges that are only partly in the range keep their content. */
  @Override
  public void trim(long offset, long length, int flags, Completion completion) {
    if (refused(completion) || !BlockRanges.inside(offset, length, size, completion)) {
      return;
    }
    long first = up(offset);
    long end = (offset + length) / BLOCK * BLOCK;
    completion.completed(
        attempt(
            lock.readLock(),
            device -> {
              zeroes.write(device, first, end, true);
              settle(device, flags);
            }));
  }

  @Override
  public void writeZeroes(long offset, long length, int flags, Completion completion) {
    if (refused(completion) || !BlockRanges.inside(offset, length, size, completion)) {
      return;
    }
    completion.completed(
        attempt(
            isWhole(offset, length) ? lock.readLock() : lock.writeLock(),
            device -> {
              zero(device, offset, offset + length, (flags & IoFlags.NO_HOLE) == 0);
              settle(device, flags);
            }));
  }

  private void zero(RawDevice device, long offset, long end, boolean holes) throws IOException {
    long first = Math.min(up(offset), end);
    long last = Math.max(end / BLOCK * BLOCK, first);
    writeAll(device, offset, buffers.zeroes((int) (first - offset)));
    zeroes.write(device, first, last, holes);
    writeAll(device, last, buffers.zeroes((int) (end - last)));
  }

  /** LVM tells what is allocated of whole volumes only, so everything counts as data. */
  @Override
  public void extents(long offset, long length, ExtentVisitor visitor, Completion completion) {
    if (!BlockRanges.inside(offset, length, size, completion)) {
      return;
    }
    completion.completed(
        attempt(
            lock.readLock(),
            device -> {
              if (length > 0) {
                boolean unused = visitor.extent(offset, length, ExtentKind.DATA);
              }
            }));
  }

  @Override
  public void close() {
    lock.writeLock().lock();
    try {
      if (!closed) {
        closed = true;
        raw.close();
      }
    } catch (IOException e) {
      LOG.debug("{}: could not close its device", name, e);
    } finally {
      lock.writeLock().unlock();
    }
  }
}
