package dev.holdfast.engine.spdk.internal.volume;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.BlockRanges;
import dev.holdfast.block.Completion;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.engine.spdk.internal.data.Connector;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.nvme.host.answer.NvmeStatusException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import java.util.function.Consumer;

/**
 * Device of an open volume over a connection that can be replaced. Requests that come during a hold
 * wait in their order. When the connection is lost, requests without an answer wait for the next
 * connection, which gets them again. Thread-safe.
 */
final class SpdkDevice implements BlockDevice {
  private static final Duration CLOSING = Duration.ofSeconds(30);

  private final String name;
  private final Consumer<StorageException> lost;
  private final Queue<Runnable> waiting = new ArrayDeque<>();
  private BlockDevice below;
  private long size;
  private boolean held;
  private boolean cut;
  private int inFlight;
  private Optional<StorageException> ending = Optional.empty();

  /**
   * Creates a device.
   *
   * @param name of the volume, begins messages
   * @param below the connection, closed with this
   * @param size of the volume, at most that of the connection
   * @param lost told once for each connection that it was lost; must not block
   */
  SpdkDevice(String name, BlockDevice below, long size, Consumer<StorageException> lost) {
    this.name = name;
    this.below = below;
    this.size = size;
    this.lost = lost;
  }

  // --- control ----------------------------------------------------------------------------

  /**
   * Lets new requests wait, and waits for those in flight.
   *
   * @throws StorageException TIMEOUT when they did not end: the device is as before
   */
  void hold(Duration limit) throws StorageException {
    long end = System.nanoTime() + limit.toNanos();
    boolean drained;
    synchronized (this) {
      held = true;
      drained = awaitDrained(end);
    }
    if (!drained) {
      release();
      throw new StorageException(
          ErrorCode.TIMEOUT, name + ": requests did not end in " + limit.toSeconds() + " s");
    }
  }

  private boolean awaitDrained(long end) {
    boolean interrupted = false;
    while (inFlight > 0) {
      long left = (end - System.nanoTime()) / 1_000_000;
      if (left <= 0) {
        break;
      }
      try {
        wait(left);
      } catch (InterruptedException e) {
        interrupted = true;
        break;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return inFlight == 0;
  }

  /** Replaces the connection during a hold. */
  void replace(BlockDevice next, long newSize) {
    BlockDevice former;
    synchronized (this) {
      former = below;
      below = next;
      size = newSize;
      cut = false;
    }
    former.close();
  }

  /** Lets new requests wait for the next connection. */
  synchronized void cut() {
    cut = true;
  }

  /** Replaces a connection that was lost; requests without an answer are sent again. */
  void reconnect(BlockDevice next, long newSize) {
    synchronized (this) {
      held = true; // requests that come now follow those that wait
    }
    replace(next, newSize);
    release();
  }

  /** Lets requests continue, unless they wait for a connection. */
  void release() {
    while (true) {
      Runnable next;
      synchronized (this) {
        if (waiting.isEmpty() || isCut()) {
          held = false;
          return;
        }
        next = waiting.remove();
      }
      next.run();
    }
  }

  private boolean isCut() {
    return cut && ending.isEmpty();
  }

  /** Ends the device at once: from now on requests fail in this way. Only the first end counts. */
  void end(ErrorCode code, String why) {
    if (refuse(code, why)) {
      below().close();
    }
  }

  private boolean refuse(ErrorCode code, String why) {
    synchronized (this) {
      if (ending.isPresent()) {
        return false;
      }
      ending = Optional.of(new StorageException(code, name + ": " + why));
    }
    release();
    return true;
  }

  private synchronized BlockDevice below() {
    return below;
  }

  // --- requests ---------------------------------------------------------------------------

  /** A request on the connection. */
  private interface Request {
    void run(BlockDevice device, Completion ended);
  }

  private void submit(long offset, long length, Completion completion, Request request) {
    if (!BlockRanges.inside(offset, length, size(), completion)) {
      return;
    }
    Optional<BlockDevice> device;
    synchronized (this) {
      if (held || isCut()) {
        waiting.add(() -> run(admit(), completion, request));
        return;
      }
      device = admit();
    }
    run(device, completion, request);
  }

  /** Counts a request, unless the device has ended. */
  private synchronized Optional<BlockDevice> admit() {
    if (ending.isPresent()) {
      return Optional.empty();
    }
    inFlight++;
    return Optional.of(below);
  }

  private void run(Optional<BlockDevice> device, Completion completion, Request request) {
    if (device.isPresent()) {
      BlockDevice by = device.get();
      request.run(by, failure -> ended(by, completion, request, failure));
    } else {
      completion.completed(refusal());
    }
  }

  private synchronized StorageException refusal() {
    StorageException cause = ending.orElseThrow();
    return new StorageException(cause.code(), cause.getMessage(), cause);
  }

  private void ended(
      BlockDevice by, Completion completion, Request request, StorageException failure) {
    boolean loss;
    boolean repeated;
    boolean first = false;
    boolean free;
    synchronized (this) {
      inFlight--;
      notifyAll();
      loss = isLoss(by, failure);
      repeated = loss && ending.isEmpty();
      if (repeated) {
        first = by == below && !cut;
        cut |= by == below;
        waiting.add(() -> run(admit(), completion, request));
      }
      free = repeated && !held && !cut;
      held |= free;
    }
    if (!repeated) {
      completion.completed(loss ? refusal() : failure);
    } else if (first) {
      lost.accept(failure);
    } else if (free) {
      release();
    }
  }

  /** A target that answers with a status keeps its connection. A former connection was closed. */
  private boolean isLoss(BlockDevice by, StorageException failure) {
    return failure != null
        && !(failure instanceof NvmeStatusException)
        && (by != below || Connector.isLoss(failure));
  }

  @Override
  public synchronized long size() {
    return size;
  }

  @Override
  public int blockSize() {
    return below().blockSize();
  }

  @Override
  public void read(long offset, ByteBuffer target, Completion completion) {
    int start = target.position();
    submit(
        offset,
        target.remaining(),
        completion,
        (device, ended) -> device.read(offset, target.position(start), ended));
  }

  @Override
  public void write(long offset, ByteBuffer source, int flags, Completion completion) {
    int start = source.position();
    submit(
        offset,
        source.remaining(),
        completion,
        (device, ended) -> device.write(offset, source.position(start), flags, ended));
  }

  /** SPDK answers it without doing anything; what was written is on the disk already. */
  @Override
  public void flush(Completion completion) {
    submit(0, 0, completion, BlockDevice::flush);
  }

  @Override
  public void trim(long offset, long length, int flags, Completion completion) {
    submit(
        offset, length, completion, (device, ended) -> device.trim(offset, length, flags, ended));
  }

  @Override
  public void writeZeroes(long offset, long length, int flags, Completion completion) {
    submit(
        offset,
        length,
        completion,
        (device, ended) -> device.writeZeroes(offset, length, flags, ended));
  }

  @Override
  public void extents(long offset, long length, ExtentVisitor visitor, Completion completion) {
    submit(
        offset,
        length,
        completion,
        (device, ended) -> device.extents(offset, length, visitor, ended));
  }

  /** Waits for requests in flight. */
  @Override
  public void close() {
    if (refuse(ErrorCode.IO, "is closed: open it again")) {
      synchronized (this) {
        boolean unused = awaitDrained(System.nanoTime() + CLOSING.toNanos());
      }
      below().close();
    }
  }
}
