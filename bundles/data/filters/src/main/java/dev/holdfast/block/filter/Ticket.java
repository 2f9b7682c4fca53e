package dev.holdfast.block.filter;

import dev.holdfast.block.Completion;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.LongSupplier;

/**
 * One request in flight: taken from a {@link TicketPool}, passed to the device below as the
 * completion, and free again as soon as the request has ended.
 *
 * <p>Between taking and freeing, only the request uses the ticket, so it counts without atomic
 * operations: taking it (one compare-and-set) and freeing it (a release store) order all accesses.
 * Only errors, which are rare, are counted by code in one place for all tickets.
 *
 * <pre>
 *   FREE --take--> TAKEN --begin, below.read(…, ticket)--> ended (counted) --> FREE
 *                    \--abandon (the gate was not open)------------------------^
 * </pre>
 */
final class Ticket implements Completion {
  private static final int FREE = 0;
  private static final int TAKEN = 1;
  private static final int COUNTERS = 3;

  /** Reads, writes and flushes, the first kinds, are timed: each has buckets and a sum. */
  private static final int TIMED = 3;

  private static final int TIMES = DurationCounts.BUCKETS + 1;
  private static final int FIRST_TIME = IoKind.values().length * COUNTERS;
  private static final VarHandle STATE;
  private static final VarHandle COUNTS = MethodHandles.arrayElementVarHandle(long[].class);

  static {
    try {
      STATE = MethodHandles.lookup().findVarHandle(Ticket.class, "state", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /**
   * Requests, bytes and errors of each kind, then buckets and sum of each timed kind. The size also
   * keeps the fields of two tickets on different cache lines.
   */
  private final long[] counts = new long[FIRST_TIME + TIMED * TIMES];

  private final LongSupplier nanoTime;
  private final ErrorCounts errors;
  private final Failures failures;
  private volatile int state = FREE;
  private Completion delegate;
  private int kind;
  private long bytes;
  private long arrival;

  /** Passes the failures of requests to their callers. */
  @FunctionalInterface
  interface Failures {
    /** Ends a request for its caller, now or later. */
    void failed(Completion caller, StorageException failure);
  }

  Ticket(LongSupplier nanoTime, ErrorCounts errors, Failures failures) {
    this.nanoTime = nanoTime;
    this.errors = errors;
    this.failures = failures;
  }

  boolean take() {
    return state == FREE && STATE.compareAndSet(this, FREE, TAKEN);
  }

  /**
   * Starts a request.
   *
   * @param arrived arrival time by the clock, for a timed kind
   */
  void begin(Completion completion, IoKind ioKind, long length, long arrived) {
    arrival = arrived;
    delegate = completion;
    kind = ioKind.slot();
    bytes = length;
  }

  void abandon() {
    STATE.setRelease(this, FREE);
  }

  boolean taken() {
    return state == TAKEN;
  }

  @Override
  public void completed(StorageException failure) {
    Completion told = delegate;
    int first = kind * COUNTERS;
    add(first, 1);
    if (failure == null) {
      add(first + 1, bytes);
    } else {
      add(first + 2, 1);
      errors.add(kind, failure.code());
    }
    if (kind < TIMED) {
      long nanos = nanoTime.getAsLong() - arrival;
      int firstTime = FIRST_TIME + kind * TIMES;
      add(firstTime + DurationCounts.bucket(nanos), 1);
      add(firstTime + DurationCounts.BUCKETS, nanos);
    }
    // A free ticket must not keep the caller's classes reachable.
    delegate = null;
    STATE.setRelease(this, FREE);
    if (failure == null) {
      told.completed(null);
    } else {
      failures.failed(told, failure);
    }
  }

  /**
   * Handles an exception of the device, which its contract forbids: fails the request, so that no
   * caller waits for its end. An exception after the end of the request is rethrown.
   */
  @SuppressWarnings("ReferenceEquality") // Compares with exactly this request's completion.
  void thrown(Completion completion, Throwable cause) {
    if (state == TAKEN && delegate == completion) {
      completed(
          new StorageException(
              ErrorCode.INTERNAL, "the device failed by a defect: " + cause, cause));
    } else if (cause instanceof Error error) {
      throw error;
    } else {
      throw (RuntimeException) cause;
    }
  }

  private void add(int index, long amount) {
    COUNTS.setOpaque(counts, index, (long) COUNTS.get(counts, index) + amount);
  }

  IoStatistics.Count plus(IoKind of, IoStatistics.Count sum) {
    int first = of.slot() * COUNTERS;
    return new IoStatistics.Count(
        sum.requests() + count(first),
        sum.bytes() + count(first + 1),
        sum.errors() + count(first + 2));
  }

  static boolean isTimed(IoKind kind) {
    return kind.slot() < TIMED;
  }

  /** Adds the buckets of a timed kind, and their sum behind them. */
  void addTimes(IoKind of, long[] sums) {
    for (int i = 0; i < TIMES; i++) {
      sums[i] += count(FIRST_TIME + of.slot() * TIMES + i);
    }
  }

  private long count(int index) {
    return (long) COUNTS.getOpaque(counts, index);
  }
}
