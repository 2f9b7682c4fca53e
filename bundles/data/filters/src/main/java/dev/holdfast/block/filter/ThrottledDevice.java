package dev.holdfast.block.filter;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.Completion;
import dev.holdfast.block.ForwardingBlockDevice;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * Limits requests and bytes per second. Requests beyond the limits wait in a queue, not on their
 * caller's thread, and continue in order. Reads do not wait for writes that exceed only a limit of
 * writes, and vice versa. Flushes and queries of extents are never delayed.
 *
 * <p>Limits may be changed at any time. Without limits a request costs one volatile read and one
 * increment, and no allocation.
 */
public final class ThrottledDevice extends ForwardingBlockDevice {
  private final String name;
  private final LongSupplier nanoTime;
  private final Alarm alarm;
  private final LongAdder requests;
  private final Queue<Waiting> reads = new ArrayDeque<>();
  private final Queue<Waiting> writes = new ArrayDeque<>();
  private Optional<Allowance> allowance = Optional.empty();
  private IoLimits limits = IoLimits.NONE;
  private long arrivals;
  private long waited;
  private boolean issuing;
  private boolean alarmed;
  private boolean closed;
  private volatile boolean free = true;

  /** Runs tasks later. */
  @FunctionalInterface
  public interface Alarm {
    /**
     * Runs a task after a delay, on any thread.
     *
     * @param nanos delay in nanoseconds, more than 0
     * @param task to run once, not null
     */
    void in(long nanos, Runnable task);
  }

  /** A delayed request. */
  private record Waiting(
      long arrival, long since, boolean write, long bytes, Completion end, Runnable issue) {}

  /** Requests and bytes that are permitted by the present limits. */
  private record Allowance(Buckets both, Buckets read, Buckets write) {
    Buckets of(boolean isWrite) {
      return isWrite ? write : read;
    }
  }

  private record Buckets(Optional<TokenBucket> requests, Optional<TokenBucket> bytes) {
    long wait(long cost, long now) {
      long first = requests.isPresent() ? requests.get().wait(1, now) : 0;
      return bytes.isPresent() ? Math.max(first, bytes.get().wait(cost, now)) : first;
    }

    void take(long cost) {
      if (requests.isPresent()) {
        requests.get().take(1);
      }
      if (bytes.isPresent()) {
        bytes.get().take(cost);
      }
    }
  }

  /**
   * Creates a device without limits.
   *
   * @param name name of the volume for messages, not null
   * @param below the device to forward to, not null; closed with this one
   * @param nanoTime clock like {@link System#nanoTime()}, not null
   * @param alarm issues delayed requests later, not null
   */
  public ThrottledDevice(String name, BlockDevice below, LongSupplier nanoTime, Alarm alarm) {
    this(name, below, nanoTime, alarm, new LongAdder());
  }

  /**
   * Creates a device without limits that counts requests.
   *
   * @param name name of the volume for messages, not null
   * @param below the device to forward to, not null; closed with this one
   * @param nanoTime clock like {@link System#nanoTime()}, not null
   * @param alarm issues delayed requests later, not null
   * @param requests counter of reads, writes, trims and writes of zeroes, not null
   */
  public ThrottledDevice(
      String name, BlockDevice below, LongSupplier nanoTime, Alarm alarm, LongAdder requests) {
    super(below);
    this.name = name;
    this.nanoTime = nanoTime;
    this.alarm = alarm;
    this.requests = requests;
  }

  /**
   * Changes the limits, also for the delayed requests.
   *
   * @param wanted new limits, not null; discards unused allowance of the former limits
   */
  public void limit(IoLimits wanted) {
    synchronized (this) {
      if (wanted.equals(limits)) {
        return;
      }
      limits = wanted;
      allowance = wanted.isAny() ? Optional.of(allowance(wanted)) : Optional.empty();
      free = false;
    }
    issue();
  }

  /** Returns the total time in nanoseconds that requests waited for the limits so far. */
  public synchronized long waitedNanos() {
    return waited;
  }

  private Allowance allowance(IoLimits wanted) {
    long now = nanoTime.getAsLong();
    int burst = wanted.burstSeconds();
    return new Allowance(
        buckets(wanted.requests(), wanted.bytes(), burst, now),
        buckets(wanted.reads(), wanted.bytesRead(), burst, now),
        buckets(wanted.writes(), wanted.bytesWritten(), burst, now));
  }

  private static Buckets buckets(long requests, long bytes, int burst, long now) {
    return new Buckets(bucket(requests, burst, now), bucket(bytes, burst, now));
  }

  private static Optional<TokenBucket> bucket(long limit, int burst, long now) {
    return limit == 0 ? Optional.empty() : Optional.of(new TokenBucket(limit, burst, now));
  }

  @Override
  public void read(long offset, ByteBuffer target, Completion completion) {
    requests.increment();
    if (free) {
      below().read(offset, target, completion);
    } else {
      hold(false, target.remaining(), completion, () -> below().read(offset, target, completion));
    }
  }

  @Override
  public void write(long offset, ByteBuffer source, int flags, Completion completion) {
    requests.increment();
    if (free) {
      below().write(offset, source, flags, completion);
    } else {
      hold(
          true,
          source.remaining(),
          completion,
          () -> below().write(offset, source, flags, completion));
    }
  }

  @Override
  public void trim(long offset, long length, int flags, Completion completion) {
    requests.increment();
    if (free) {
      below().trim(offset, length, flags, completion);
    } else {
      hold(true, 0, completion, () -> below().trim(offset, length, flags, completion));
    }
  }

  @Override
  public void writeZeroes(long offset, long length, int flags, Completion completion) {
    requests.increment();
    if (free) {
      below().writeZeroes(offset, length, flags, completion);
    } else {
      hold(true, 0, completion, () -> below().writeZeroes(offset, length, flags, completion));
    }
  }

  private void hold(boolean write, long bytes, Completion completion, Runnable issue) {
    boolean refused;
    synchronized (this) {
      refused = closed;
      if (!refused) {
        (write ? writes : reads)
            .add(new Waiting(arrivals++, nanoTime.getAsLong(), write, bytes, completion, issue));
      }
    }
    if (refused) {
      completion.completed(refusal());
    } else {
      issue();
    }
  }

  /** Issues the permitted requests, one thread at a time, so that no request overtakes another. */
  private void issue() {
    synchronized (this) {
      if (issuing) {
        return;
      }
      issuing = true;
    }
    while (true) {
      Waiting next;
      synchronized (this) {
        next = next();
        if (next == null) {
          issuing = false;
          free = allowance.isEmpty() && !closed;
          return;
        }
      }
      next.issue().run();
    }
  }

  /** Takes the next permitted request; returns null and sets the alarm when none is permitted. */
  private Waiting next() {
    Waiting read = reads.peek();
    Waiting write = writes.peek();
    boolean readFirst = write == null || (read != null && read.arrival() < write.arrival());
    Waiting first = readFirst ? read : write;
    Waiting second = readFirst ? write : read;
    if (first == null) {
      return null;
    }
    long now = allowance.isPresent() ? nanoTime.getAsLong() : 0;
    long firstWait = wait(first, now);
    if (firstWait == 0) {
      return taken(first);
    }
    // The second may overtake the first one only if they share no exhausted allowance.
    boolean shared = allowance.get().both().wait(first.bytes(), now) > 0;
    long secondWait = second == null || shared ? firstWait : wait(second, now);
    if (secondWait == 0) {
      return taken(second);
    }
    if (!alarmed) {
      alarmed = true;
      alarm.in(Math.min(firstWait, secondWait), this::alarmed);
    }
    return null;
  }

  private long wait(Waiting request, long now) {
    return allowance.isEmpty()
        ? 0
        : Math.max(
            allowance.get().both().wait(request.bytes(), now),
            allowance.get().of(request.write()).wait(request.bytes(), now));
  }

  private Waiting taken(Waiting request) {
    if (allowance.isPresent()) {
      allowance.get().both().take(request.bytes());
      allowance.get().of(request.write()).take(request.bytes());
    }
    waited += Math.max(0, nanoTime.getAsLong() - request.since());
    return (request.write() ? writes : reads).remove();
  }

  private void alarmed() {
    synchronized (this) {
      alarmed = false;
    }
    issue();
  }

  /** Fails the delayed requests, and closes. */
  @Override
  public void close() {
    while (true) {
      Waiting next;
      synchronized (this) {
        closed = true;
        free = false;
        next = reads.isEmpty() ? writes.poll() : reads.poll();
      }
      if (next == null) {
        break;
      }
      next.end().completed(refusal());
    }
    super.close();
  }

  private StorageException refusal() {
    return new StorageException(ErrorCode.IO, "volume " + name + " is closed");
  }
}
