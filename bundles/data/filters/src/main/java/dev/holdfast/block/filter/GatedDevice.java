package dev.holdfast.block.filter;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.Completion;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The quiesce point between a frontend and an engine: holds new requests, waits for those in
 * flight, lets the device below be replaced, and resumes. Also counts the requests that pass.
 *
 * <pre>
 *           hold                shut
 *   OPEN ----------> HELD ----------------> SHUT
 *     ^  <----------  |                      ^
 *     |   Hold.close                         |
 *     +--------------------------------------+
 *                       shut
 * </pre>
 *
 * <p>A request that fails with {@link ErrorCode#FORBIDDEN}, because another opening took the device
 * over, is withheld: its caller gets the failure when the gate is shut, or after {@link #WITHHELD}.
 * By then the owner has withdrawn the export, so that no client takes the failure for a disk error
 * and passes it on, for example a server of files. Draining does not wait for such requests.
 *
 * <p>A held request waits in a queue, not on its caller's thread, and is issued again by the thread
 * that releases it. A shut gate permanently refuses every request with {@link ErrorCode#IO}. An
 * open gate costs a request one compare-and-set and, for reads, writes and flushes, two reads of
 * the clock; it allocates no memory.
 */
public final class GatedDevice implements BlockDevice {
  /** Longest time for which a request that another opening refused is withheld. */
  static final Duration WITHHELD = Duration.ofSeconds(30);

  private enum State {
    OPEN,
    HELD,
    SHUT
  }

  private record Held(Runnable again, Completion completion) {}

  private record Withheld(Completion completion, StorageException failure) {}

  private final String name;
  private final LongSupplier nanoTime;
  private final TicketPool tickets;
  private final HoldTimes holds = new HoldTimes();
  private final Queue<Held> held = new ArrayDeque<>();
  private final Executor later;

  /** Guarded by {@code held}. */
  private final Queue<Withheld> withheld = new ArrayDeque<>();

  private volatile State state = State.OPEN;
  private volatile BlockDevice below;

  /**
   * Creates an open gate.
   *
   * @param name name of the volume for messages, not null
   * @param below the device to forward to, not null; closed with this one
   */
  public GatedDevice(String name, BlockDevice below) {
    this(name, below, System::nanoTime);
  }

  /**
   * Creates an open gate with a clock.
   *
   * @param name name of the volume for messages, not null
   * @param below the device to forward to, not null; closed with this one
   * @param nanoTime clock like {@link System#nanoTime()}, not null
   */
  public GatedDevice(String name, BlockDevice below, LongSupplier nanoTime) {
    this(
        name,
        below,
        nanoTime,
        CompletableFuture.delayedExecutor(WITHHELD.toMillis(), TimeUnit.MILLISECONDS));
  }

  /**
   * Creates an open gate.
   *
   * @param later runs a task after {@link #WITHHELD}
   */
  GatedDevice(String name, BlockDevice below, LongSupplier nanoTime, Executor later) {
    this.nanoTime = nanoTime;
    this.later = later;
    this.tickets = new TicketPool(nanoTime, this::failed);
    this.name = Objects.requireNonNull(name, "name");
    this.below = Objects.requireNonNull(below, "below");
  }

  /** Returns the statistics of the requests that passed this gate, never null. */
  public IoStatistics statistics() {
    return tickets.statistics();
  }

  /**
   * Returns the detailed statistics of the requests that passed this gate, never null. Slower than
   * {@link #statistics}.
   */
  public GateStatistics details() {
    IoStatistics io = tickets.statistics();
    int waiting;
    synchronized (held) {
      waiting = held.size();
    }
    Map<IoKind, Map<ErrorCode, Long>> errors = new EnumMap<>(IoKind.class);
    for (IoKind kind : IoKind.values()) {
      Map<ErrorCode, Long> codes = tickets.errors().of(kind);
      if (!codes.isEmpty()) {
        errors.put(kind, codes);
      }
    }
    return new GateStatistics(
        new IoStatistics(io.counts(), io.inFlight() + waiting),
        tickets.durations(),
        errors,
        holds.counts());
  }

  /**
   * Holds new requests for a snapshot; as {@link #hold(GateCause, Duration)}.
   *
   * @param drainDeadline maximum time to wait, not null
   */
  public Hold hold(Duration drainDeadline) throws StorageException {
    return hold(GateCause.SNAPSHOT, drainDeadline);
  }

  /**
   * Holds new requests and waits for those in flight. Must not be called on a thread that a request
   * in flight needs for its completion.
   *
   * @param cause cause to which the duration of the hold is added, not null
   * @param drainDeadline maximum time to wait, not null
   * @return the hold, never null; closing it releases the requests; until then no request is in
   *     flight below
   * @throws StorageException BUSY when another caller already holds this gate; TIMEOUT when
   *     requests are still in flight at the deadline: the gate is open again; IO when it is shut
   */
  public Hold hold(GateCause cause, Duration drainDeadline) throws StorageException {
    long began = nanoTime.getAsLong();
    synchronized (held) {
      switch (state) {
        case OPEN -> state = State.HELD;
        case HELD ->
            throw new StorageException(
                ErrorCode.BUSY, "volume " + name + ": another operation holds its requests");
        case SHUT -> throw refusal();
      }
    }
    if (!tickets.drain(drainDeadline)) {
      int left = tickets.inFlight();
      release();
      holds.add(cause, nanoTime.getAsLong() - began);
      throw new StorageException(
          ErrorCode.TIMEOUT,
          "volume " + name + ": " + left + " requests did not end within " + drainDeadline);
    }
    return new Hold(cause, began);
  }

  /**
   * Rejects held and later requests, ends withheld ones, and waits for those in flight. Does not
   * close the device below. Idempotent.
   *
   * @param drainDeadline maximum time to wait, not null
   * @return whether all requests in flight ended
   */
  public boolean shut(Duration drainDeadline) {
    Held next;
    synchronized (held) {
      state = State.SHUT;
      next = held.poll();
    }
    while (next != null) {
      next.completion.completed(refusal());
      synchronized (held) {
        next = held.poll();
      }
    }
    endWithheld();
    return tickets.drain(drainDeadline);
  }

  private void failed(Completion caller, StorageException failure) {
    boolean kept = failure.code() == ErrorCode.FORBIDDEN;
    boolean first = false;
    if (kept) {
      synchronized (held) {
        kept = state != State.SHUT;
        if (kept) {
          first = withheld.isEmpty();
          withheld.add(new Withheld(caller, failure));
        }
      }
    }
    if (!kept) {
      caller.completed(failure);
    } else if (first) {
      later.execute(this::endWithheld);
    }
  }

  private void endWithheld() {
    while (true) {
      Withheld next;
      synchronized (held) {
        next = withheld.poll();
      }
      if (next == null) {
        return;
      }
      next.completion.completed(next.failure);
    }
  }

  private void release() {
    while (true) {
      Held next;
      synchronized (held) {
        if (state == State.HELD) {
          state = State.OPEN;
        }
        // If another caller holds the gate again, the remaining requests wait for that hold.
        next = state == State.OPEN ? held.poll() : null;
        if (next == null) {
          return;
        }
      }
      next.again.run();
    }
  }

  /** Handles a request that found the gate not open. */
  private void turnAway(Runnable again, Completion completion) {
    State found;
    synchronized (held) {
      found = state;
      if (found == State.HELD) {
        held.add(new Held(again, completion));
      }
    }
    switch (found) {
      case OPEN -> again.run();
      case HELD -> {}
      case SHUT -> completion.completed(refusal());
    }
  }

  private StorageException refusal() {
    return new StorageException(
        ErrorCode.IO, "volume " + name + " is detached from this node: attach it first");
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
    read(offset, target, completion, nanoTime.getAsLong());
  }

  private void read(long offset, ByteBuffer target, Completion completion, long arrived) {
    Ticket ticket = tickets.take();
    if (state == State.OPEN) {
      ticket.begin(completion, IoKind.READ, target.remaining(), arrived);
      try {
        below.read(offset, target, ticket);
      } catch (RuntimeException | Error e) {
        ticket.thrown(completion, e);
      }
    } else {
      ticket.abandon();
      turnAway(() -> read(offset, target, completion, arrived), completion);
    }
  }

  @Override
  public void write(long offset, ByteBuffer source, int flags, Completion completion) {
    write(offset, source, flags, completion, nanoTime.getAsLong());
  }

  private void write(
      long offset, ByteBuffer source, int flags, Completion completion, long arrived) {
    Ticket ticket = tickets.take();
    if (state == State.OPEN) {
      ticket.begin(completion, IoKind.WRITE, source.remaining(), arrived);
      try {
        below.write(offset, source, flags, ticket);
      } catch (RuntimeException | Error e) {
        ticket.thrown(completion, e);
      }
    } else {
      ticket.abandon();
      turnAway(() -> write(offset, source, flags, completion, arrived), completion);
    }
  }

  @Override
  public void flush(Completion completion) {
    flush(completion, nanoTime.getAsLong());
  }

  private void flush(Completion completion, long arrived) {
    Ticket ticket = tickets.take();
    if (state == State.OPEN) {
      ticket.begin(completion, IoKind.FLUSH, 0, arrived);
      try {
        below.flush(ticket);
      } catch (RuntimeException | Error e) {
        ticket.thrown(completion, e);
      }
    } else {
      ticket.abandon();
      turnAway(() -> flush(completion, arrived), completion);
    }
  }

  @Override
  public void trim(long offset, long length, int flags, Completion completion) {
    Ticket ticket = tickets.take();
    if (state == State.OPEN) {
      ticket.begin(completion, IoKind.TRIM, length, 0);
      try {
        below.trim(offset, length, flags, ticket);
      } catch (RuntimeException | Error e) {
        ticket.thrown(completion, e);
      }
    } else {
      ticket.abandon();
      turnAway(() -> trim(offset, length, flags, completion), completion);
    }
  }

  @Override
  public void writeZeroes(long offset, long length, int flags, Completion completion) {
    Ticket ticket = tickets.take();
    if (state == State.OPEN) {
      ticket.begin(completion, IoKind.WRITE_ZEROES, length, 0);
      try {
        below.writeZeroes(offset, length, flags, ticket);
      } catch (RuntimeException | Error e) {
        ticket.thrown(completion, e);
      }
    } else {
      ticket.abandon();
      turnAway(() -> writeZeroes(offset, length, flags, completion), completion);
    }
  }

  @Override
  public void extents(long offset, long length, ExtentVisitor visitor, Completion completion) {
    Ticket ticket = tickets.take();
    if (state == State.OPEN) {
      ticket.begin(completion, IoKind.EXTENTS, length, 0);
      try {
        below.extents(offset, length, visitor, ticket);
      } catch (RuntimeException | Error e) {
        ticket.thrown(completion, e);
      }
    } else {
      ticket.abandon();
      turnAway(() -> extents(offset, length, visitor, completion), completion);
    }
  }

  @Override
  public void close() {
    shut(Duration.ZERO);
    // The device below waits for the requests in flight.
    below.close();
  }

  /**
   * A hold of the gate; closing it releases the requests. Owned by one operation; not thread-safe.
   */
  public final class Hold implements AutoCloseable {
    private final GateCause cause;
    private final long began;
    private boolean over;

    private Hold(GateCause cause, long began) {
      this.cause = cause;
      this.began = began;
    }

    /**
     * Replaces the device below.
     *
     * @param next device that receives the requests, not null
     * @return the former device, never null, not closed; the caller owns it again
     */
    public BlockDevice replace(BlockDevice next) {
      if (over) {
        throw new IllegalStateException("volume " + name + ": this hold has ended");
      }
      BlockDevice former = below;
      below = Objects.requireNonNull(next, "next");
      return former;
    }

    /**
     * Replaces the device below by a placeholder of the same size, so that the device can be
     * garbage-collected.
     */
    public BlockDevice vacate() {
      return replace(new VacantDevice(name, below.size(), below.blockSize()));
    }

    /** Ends the hold: issues held requests on this thread and admits new ones. Idempotent. */
    @Override
    public void close() {
      if (!over) {
        over = true;
        holds.add(cause, nanoTime.getAsLong() - began);
        release();
      }
    }
  }
}
