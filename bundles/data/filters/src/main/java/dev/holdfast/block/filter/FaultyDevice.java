package dev.holdfast.block.filter;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.Completion;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.block.ForwardingBlockDevice;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * A device for tests: makes requests fail, hang, or end on another thread, as a test configures it.
 * A setting applies to later requests.
 */
public final class FaultyDevice extends ForwardingBlockDevice {
  private final AtomicLong calls = new AtomicLong();
  private final Queue<Runnable> stalled = new ArrayDeque<>();
  private volatile FaultPlan plan = FaultPlan.NONE;
  private volatile Executor completesOn = Runnable::run;
  private boolean stalling;

  /**
   * Creates a device without faults.
   *
   * @param below the device to forward to, not null; closed with this one
   */
  public FaultyDevice(BlockDevice below) {
    super(below);
  }

  /** Sets the plan by which requests fail. */
  public void failBy(FaultPlan newPlan) {
    plan = newPlan;
  }

  /** Sets an executor on whose threads requests continue and end; it may also delay them. */
  public void completeOn(Executor executor) {
    completesOn = executor;
  }

  /** Stops requests before they reach the device below. */
  public void stall() {
    synchronized (stalled) {
      stalling = true;
    }
  }

  /** Returns how many requests are stopped. */
  public int stalledRequests() {
    synchronized (stalled) {
      return stalled.size();
    }
  }

  /** Admits requests again; first issues the stopped ones, in order, on this thread. */
  public void resume() {
    List<Runnable> waiting;
    synchronized (stalled) {
      stalling = false;
      waiting = new ArrayList<>(stalled);
      stalled.clear();
    }
    waiting.forEach(Runnable::run);
  }

  /** Returns the number of requests so far. */
  public long calls() {
    return calls.get();
  }

  private void pass(IoKind kind, Completion completion, Consumer<Completion> request) {
    Optional<Fault> fault = plan.fault(kind, calls.getAndIncrement());
    Runnable step = () -> completesOn.execute(() -> run(kind, fault, completion, request));
    synchronized (stalled) {
      if (stalling) {
        stalled.add(step);
        return;
      }
    }
    step.run();
  }

  private static void run(
      IoKind kind, Optional<Fault> fault, Completion completion, Consumer<Completion> request) {
    if (fault.isEmpty()) {
      request.accept(completion);
      return;
    }
    StorageException failure = new StorageException(fault.get().code(), "injected into " + kind);
    if (fault.get().afterEffect()) {
      request.accept(ignored -> completion.completed(failure));
    } else {
      completion.completed(failure);
    }
  }

  @Override
  public void read(long offset, ByteBuffer target, Completion completion) {
    pass(IoKind.READ, completion, end -> below().read(offset, target, end));
  }

  @Override
  public void write(long offset, ByteBuffer source, int flags, Completion completion) {
    pass(IoKind.WRITE, completion, end -> below().write(offset, source, flags, end));
  }

  @Override
  public void flush(Completion completion) {
    pass(IoKind.FLUSH, completion, end -> below().flush(end));
  }

  @Override
  public void trim(long offset, long length, int flags, Completion completion) {
    pass(IoKind.TRIM, completion, end -> below().trim(offset, length, flags, end));
  }

  @Override
  public void writeZeroes(long offset, long length, int flags, Completion completion) {
    pass(IoKind.WRITE_ZEROES, completion, end -> below().writeZeroes(offset, length, flags, end));
  }

  @Override
  public void extents(long offset, long length, ExtentVisitor visitor, Completion completion) {
    pass(IoKind.EXTENTS, completion, end -> below().extents(offset, length, visitor, end));
  }

  /** Issues stopped requests, because closing waits for all requests, then closes. */
  @Override
  public void close() {
    resume();
    super.close();
  }
}
