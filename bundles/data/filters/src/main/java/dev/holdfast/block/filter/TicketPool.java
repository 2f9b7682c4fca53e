package dev.holdfast.block.filter;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * The requests in flight through one filter, without a counter on which all threads contend.
 *
 * <p>Threads are spread over lanes. A lane keeps as many tickets as it ever had requests in flight
 * at a time, so the steady state allocates no memory. A request costs one compare-and-set on a
 * ticket that other threads rarely use. Only the rare {@link #drain} checks all tickets for
 * requests in flight.
 */
final class TicketPool {
  private static final int FEWEST_LANES = 16;
  private static final int LANES_PER_PROCESSOR = 4;
  private static final int PROBES = 8;
  private static final int SPINS = 200;
  private static final long PAUSE_NANOS = 50_000;

  private final Lane[] lanes;
  private final LongSupplier nanoTime;
  private final Ticket.Failures failures;
  private final ErrorCounts errors = new ErrorCounts();

  /**
   * Creates a pool.
   *
   * @param nanoTime clock like {@link System#nanoTime()}
   * @param failures receives the failed requests after they were counted
   */
  TicketPool(LongSupplier nanoTime, Ticket.Failures failures) {
    this.nanoTime = nanoTime;
    this.failures = failures;
    int wanted =
        Math.max(FEWEST_LANES, LANES_PER_PROCESSOR * Runtime.getRuntime().availableProcessors());
    lanes = new Lane[Integer.highestOneBit(2 * wanted - 1)];
    for (int i = 0; i < lanes.length; i++) {
      lanes[i] = new Lane();
    }
  }

  /**
   * Takes a free ticket. Taking is a volatile access. A thread that first changes a volatile field
   * and then looks for taken tickets either finds this ticket, or the taker sees the change.
   */
  Ticket take() {
    Lane lane = lanes[(int) Thread.currentThread().getId() & (lanes.length - 1)];
    Ticket likely = lane.likely;
    return likely.take() ? likely : lane.takeAnother();
  }

  int inFlight() {
    int taken = 0;
    for (Lane lane : lanes) {
      for (Ticket ticket : lane.tickets) {
        taken += ticket.taken() ? 1 : 0;
      }
    }
    return taken;
  }

  /**
   * Waits until no request that began before this call is in flight; returns false at the deadline.
   */
  boolean drain(Duration deadline) {
    long start = System.nanoTime();
    boolean interrupted = false;
    boolean drained = drainedPass();
    for (int pass = 0; !drained && System.nanoTime() - start < deadline.toNanos(); pass++) {
      if (pass < SPINS) {
        Thread.onSpinWait();
      } else {
        // The end of a request wakes no thread, because that would cost each request a fence.
        LockSupport.parkNanos(this, PAUSE_NANOS);
        interrupted |= Thread.interrupted();
      }
      drained = drainedPass();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return drained;
  }

  private boolean drainedPass() {
    for (Lane lane : lanes) {
      for (Ticket ticket : lane.tickets) {
        if (ticket.taken()) {
          return false;
        }
      }
    }
    return true;
  }

  ErrorCounts errors() {
    return errors;
  }

  private List<Ticket> tickets() {
    List<Ticket> tickets = new ArrayList<>();
    for (Lane lane : lanes) {
      tickets.addAll(List.of(lane.tickets));
    }
    return tickets;
  }

  /** Returns the durations of the requests of each timed kind. */
  Map<IoKind, DurationCounts> durations() {
    List<Ticket> tickets = tickets();
    Map<IoKind, DurationCounts> durations = new EnumMap<>(IoKind.class);
    for (IoKind kind : IoKind.values()) {
      if (Ticket.isTimed(kind)) {
        long[] sums = new long[DurationCounts.BUCKETS + 1];
        tickets.forEach(ticket -> ticket.addTimes(kind, sums));
        durations.put(kind, DurationCounts.of(sums));
      }
    }
    return durations;
  }

  IoStatistics statistics() {
    List<Ticket> tickets = tickets();
    Map<IoKind, IoStatistics.Count> counts = new EnumMap<>(IoKind.class);
    for (IoKind kind : IoKind.values()) {
      IoStatistics.Count sum = IoStatistics.Count.NONE;
      for (Ticket ticket : tickets) {
        sum = ticket.plus(kind, sum);
      }
      counts.put(kind, sum);
    }
    return new IoStatistics(counts, (int) tickets.stream().filter(Ticket::taken).count());
  }

  private Ticket newTicket() {
    return new Ticket(nanoTime, errors, failures);
  }

  /** The tickets of some threads. */
  private final class Lane {
    private volatile Ticket[] tickets = {newTicket()};

    /** Index hint that threads may overwrite: the ticket that was taken last. */
    private Ticket likely = tickets[0];

    private int position;

    /** Searches round-robin, because the oldest tickets are most likely free. */
    Ticket takeAnother() {
      Ticket[] present = tickets;
      int at = position;
      for (int probe = 0; probe < Math.min(PROBES, present.length); probe++) {
        at = (at + 1) & (present.length - 1);
        if (present[at].take()) {
          position = at;
          likely = present[at];
          return present[at];
        }
      }
      return grow(present);
    }

    private synchronized Ticket grow(Ticket[] seen) {
      Ticket[] present = tickets;
      if (present != seen) {
        return takeAnother();
      }
      Ticket[] larger = new Ticket[2 * present.length];
      System.arraycopy(present, 0, larger, 0, present.length);
      for (int i = present.length; i < larger.length; i++) {
        larger[i] = newTicket();
      }
      Ticket mine = larger[present.length];
      mine.take();
      position = present.length;
      likely = mine;
      tickets = larger;
      return mine;
    }
  }
}
