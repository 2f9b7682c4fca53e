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
 * Limits requests and bytes a second. Requests beyond the limits wait in a queue, not on their
 * caller's thread, and continue in the order in which they came. Reads do not wait for writes that
 * only exceed a limit of writes, nor the other way round. Flushes and questions for extents are
 * never held.
 *
 * <p>Limits may be changed at any time. Without limits a request costs one volatile read and one
 * count more, and nothing is allocated.
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

  /** Calls back later. */
  @FunctionalInterface
  public interface Alarm {
    /**
     * Has a task run after a while, on any thread.
     *
     * @param nanos from now, more than 0
     * @param task to run once, not null
     */
    void in(long nanos, Runnable task);
  }

  /** A request that is held. */
  private record Waiting(
      long arrival, long since, boolean write, long bytes, Completion end, Runnable issue) {}

  /** Requests and bytes that may go through until the limits change. */
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
   * @param name of the volume, for messages, not null
   * @param below the device to forward to, not null; closed with this one
   * @param nanoTime a clock as {@link System#nanoTime()}, not null
   * @param alarm by which held requests continue, not null
   */
  public ThrottledDevice(String name, BlockDevice below, LongSupplier nanoTime, Alarm alarm) {
    this(name, below, nanoTime, alarm, new LongAdder());
  }

  /**
   * Creates a device without limits that counts.
   *
   * @param name of the volume, for messages, not null
   * @param below the device to forward to, not null; closed with this one
   * @param nanoTime a clock as {@link System#nanoTime()}, not null
   * @param alarm by which held requests continue, not null
   * @param requests where reads, writes, trims and zeroings are counted, not null
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
   * Changes the limits, for the requests that are held too.
   *
   * @param wanted new limits, not null; unused allowance of other limits is forgotten
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

  /** Returns how long requests waited for the limits so far, in nanoseconds, summed. */
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

  /** Takes the next request that may go; null when none may, and then the alarm is set. */
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
    // The second may pass the first one only where it does not take from the same allowance.
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

  /** Refuses what is held, and closes. */
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
