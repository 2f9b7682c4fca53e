package dev.holdfast.engine.example.outside.internal.nbd;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.BlockRanges;
import dev.holdfast.block.Completion;
import dev.holdfast.block.ExtentKind;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.block.IoFlags;
import dev.holdfast.error.StorageException;
import dev.holdfast.nbd.Wire;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * An export of a storage daemon as a device. Requests wait while the daemon is restarted.
 * Completions come on a thread of the device.
 */
public final class NbdDevice implements BlockDevice {
  private static final int BLOCK = 4096;
  private static final long LARGEST_RANGE = 1L << 30;

  /** Connects to the export. */
  @FunctionalInterface
  public interface Connector {
    /**
     * Connects.
     *
     * @throws IOException when it is worth another attempt
     * @throws StorageException when the device has ended, with the error that requests receive
     */
    NbdConnection connect() throws IOException, StorageException;
  }

  private final long size;
  private final RequestQueue queue;

  private NbdDevice(long size, RequestQueue queue) {
    this.size = size;
    this.queue = queue;
  }

  /**
   * Connects for the first time.
   *
   * @param name for messages
   * @param size in bytes
   * @param connector connects, now and after each loss of the connection
   * @param ended called with the cause when no later connection is possible
   */
  public static NbdDevice open(
      String name, long size, Connector connector, Consumer<StorageException> ended)
      throws IOException, StorageException {
    RequestQueue queue = new RequestQueue(name, connector.connect(), connector, ended);
    queue.start();
    return new NbdDevice(size, queue);
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
    transfer(Wire.CMD_READ, offset, target, 0, completion);
  }

  @Override
  public void write(long offset, ByteBuffer source, int flags, Completion completion) {
    transfer(Wire.CMD_WRITE, offset, source, wire(flags), completion);
  }

  private void transfer(
      int command, long offset, ByteBuffer buffer, int flags, Completion completion) {
    int length = buffer.remaining();
    if (!BlockRanges.inside(offset, length, size, completion)) {
      return;
    }
    int end = buffer.limit();
    Parts parts =
        new Parts(
            count(length, Wire.MAXIMUM_PAYLOAD),
            failure -> {
              if (failure == null) {
                buffer.position(end);
              }
              completion.completed(failure);
            });
    int start = buffer.position();
    for (long at = 0; at < length || at == 0; at += Wire.MAXIMUM_PAYLOAD) {
      int from = start + (int) at;
      int to = (int) Math.min(end, (long) from + Wire.MAXIMUM_PAYLOAD);
      ByteBuffer part = buffer.duplicate().limit(to).position(from);
      if (part.hasRemaining()) {
        queue.add(OutsideRequest.transfer(command, flags, offset + at, part, parts));
      } else {
        nothing(flags, parts);
      }
    }
  }

  /** An empty request reaches the server only for its flag. */
  private void nothing(int flags, Completion completion) {
    if ((flags & Wire.CMD_FLAG_FUA) != 0) {
      flush(completion);
    } else {
      // A closed device refuses it, like all others.
      queue.add(OutsideRequest.transfer(Wire.CMD_FLUSH, 0, 0, ByteBuffer.allocate(0), completion));
    }
  }

  @Override
  public void flush(Completion completion) {
    queue.add(OutsideRequest.range(Wire.CMD_FLUSH, 0, 0, 0, completion));
  }

  /** A trim of the protocol may leave content; a zeroing that may make holes does not. */
  @Override
  public void trim(long offset, long length, int flags, Completion completion) {
    zero(offset, length, wire(flags), completion);
  }

  @Override
  public void writeZeroes(long offset, long length, int flags, Completion completion) {
    zero(offset, length, wire(flags), completion);
  }

  private void zero(long offset, long length, int flags, Completion completion) {
    if (!BlockRanges.inside(offset, length, size, completion)) {
      return;
    }
    Parts parts = new Parts(count(length, LARGEST_RANGE), completion);
    if (length == 0) {
      nothing(flags, parts);
    }
    for (long at = 0; at < length; at += LARGEST_RANGE) {
      long part = Math.min(LARGEST_RANGE, length - at);
      queue.add(OutsideRequest.range(Wire.CMD_WRITE_ZEROES, flags, offset + at, part, parts));
    }
  }

  @Override
  public void extents(long offset, long length, ExtentVisitor visitor, Completion completion) {
    if (!BlockRanges.inside(offset, length, size, completion)) {
      return;
    }
    if (length == 0) {
      nothing(0, completion);
    } else {
      status(offset, offset + length, visitor, completion);
    }
  }

  /** Requests the status of one range, then of the range behind it. */
  private void status(long from, long to, ExtentVisitor visitor, Completion completion) {
    AtomicReference<OutsideRequest> request = new AtomicReference<>();
    Completion next =
        failure -> {
          if (failure != null) {
            completion.completed(failure);
            return;
          }
          long at = visit(request.get(), from, to, visitor);
          if (at < to) {
            status(at, to, visitor, completion);
          } else {
            completion.completed(null);
          }
        };
    long part = Math.min(LARGEST_RANGE, to - from);
    request.set(OutsideRequest.range(Wire.CMD_BLOCK_STATUS, 0, from, part, next));
    queue.add(request.get());
  }

  /** Returns where to continue, the end when the visitor has seen enough. */
  private static long visit(OutsideRequest request, long from, long to, ExtentVisitor visitor) {
    long at = from;
    for (OutsideRequest.Extent extent : request.extents()) {
      long length = Math.min(extent.length(), to - at);
      if (length > 0 && !visitor.extent(at, length, kind(extent.state()))) {
        return to;
      }
      at += length;
    }
    if (at == from) { // the server does not know
      visitor.extent(from, to - from, ExtentKind.DATA);
      return to;
    }
    return at;
  }

  private static ExtentKind kind(int state) {
    if ((state & Wire.STATE_ZERO) == 0) {
      return ExtentKind.DATA;
    }
    return (state & Wire.STATE_HOLE) == 0 ? ExtentKind.ZERO : ExtentKind.HOLE;
  }

  private static int wire(int flags) {
    return ((flags & IoFlags.FUA) == 0 ? 0 : Wire.CMD_FLAG_FUA)
        | ((flags & IoFlags.NO_HOLE) == 0 ? 0 : Wire.CMD_FLAG_NO_HOLE);
  }

  private static int count(long length, long largest) {
    return (int) Math.max(1, (length + largest - 1) / largest);
  }

  /**
   * Ends the device at once.
   *
   * @param cause error of all later requests
   */
  public void end(StorageException cause) {
    queue.end(cause);
  }

  @Override
  public void close() {
    queue.close();
  }

  /** Completes when all parts of a request have. */
  private static final class Parts implements Completion {
    private final AtomicInteger left;
    private final AtomicReference<StorageException> failure = new AtomicReference<>();
    private final Completion whole;

    Parts(int count, Completion whole) {
      this.left = new AtomicInteger(count);
      this.whole = whole;
    }

    @Override
    public void completed(StorageException cause) {
      if (cause != null) {
        failure.compareAndSet(null, cause);
      }
      if (left.decrementAndGet() == 0) {
        whole.completed(failure.get());
      }
    }
  }
}
