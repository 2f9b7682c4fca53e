package dev.holdfast.frontend.nvmeof.internal.controller;

import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.ExportPath;
import dev.holdfast.frontend.ExportState;
import dev.holdfast.frontend.nvmeof.internal.page.DiscoveryLog.Place;
import dev.holdfast.frontend.nvmeof.internal.wire.NvmeNames;
import dev.holdfast.reservation.WriteGate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.IntUnaryOperator;
import java.util.function.LongSupplier;

/**
 * The controllers of this bundle, and what has to be looked after from time to time. Thread-safe.
 */
public final class Controllers {
  /** Called periodically by one thread. */
  public interface Watched {
    /** Looks after time-outs. Returns false when a report became unnecessary. */
    boolean tick(long nowNanos);
  }

  private static final int HIGHEST = 0xffef;
  private static final int OF_A_PATH = HIGHEST / (ExportPath.MAXIMUM_ID + 1);
  private static final String LAST = "nvme-controller";

  private final Map<ControllerId, NvmeController> controllers = new HashMap<>();
  private final Map<String, WriteGate> gates = new HashMap<>();
  private final Set<Watched> watched = new HashSet<>();
  private final LongSupplier nanoTime;
  private final IntUnaryOperator begin;
  private final ControllerTimer ticker;
  private List<Place> discoverable = List.of();
  // From the clock, so that it rises from one bundle to the next.
  private long generation;
  private int discoveries = (int) (System.nanoTime() & 0x7fff);

  /**
   * Begins without any.
   *
   * @param nanoTime as {@code System.nanoTime}
   * @param generation of what can be discovered, before the first look
   * @param begin returns a number below another, from 0 on: behind it the numbers of a volume's
   *     controllers begin that is published again
   */
  public Controllers(LongSupplier nanoTime, long generation, IntUnaryOperator begin) {
    this.nanoTime = nanoTime;
    this.generation = generation;
    this.begin = begin;
    this.ticker = new ControllerTimer(this::tick);
  }

  /**
   * Makes a controller of a volume, with a number that no other bundle's controller has.
   *
   * <p>It is unique in the subsystem (Base 2.0, figure 275), and the subsystem moves with the
   * volume from node to node. A host may still have a controller of the former node, which it tries
   * to reach again. Such a host refuses a new one of the same number, as Linux does. Nodes do not
   * ask each other at every Connect; so numbers begin anywhere each time the volume is shown. Where
   * a volume has several paths at a time, each keeps to a range of its own.
   */
  public synchronized NvmeController create(
      String subsystem, ExportState state, UUID host, String hostName) throws StorageException {
    Optional<ExportPath> path = state.text(ExportPath.TEXT).flatMap(ExportPath::read);
    int below = path.map(one -> one.id() * OF_A_PATH).orElse(0);
    int count = path.isPresent() ? OF_A_PATH : HIGHEST;
    ControllerId id;
    do {
      Optional<String> last = state.text(LAST);
      int next =
          below
              + last.map(text -> Integer.parseInt(text) - below)
                      .orElseGet(() -> begin.applyAsInt(count))
                  % count
              + 1;
      id =
          state.replace(LAST, last, Optional.of(String.valueOf(next)), false)
              ? new ControllerId(subsystem, next)
              : null;
    } while (id == null || controllers.containsKey(id));
    return add(new NvmeController(id, host, hostName));
  }

  /** Makes a controller for discovery. */
  public synchronized NvmeController discover(UUID host, String hostName) {
    ControllerId id;
    do {
      discoveries = discoveries % HIGHEST + 1;
      id = new ControllerId(NvmeNames.DISCOVERY, discoveries);
    } while (controllers.containsKey(id));
    return add(new NvmeController(id, host, hostName));
  }

  /** Returns a controller, made now if its first session is resumed here. */
  public synchronized NvmeController resume(ControllerId id, UUID host, String hostName) {
    NvmeController present = controllers.get(id);
    return present != null ? present : add(new NvmeController(id, host, hostName));
  }

  /** Returns what keeps a volume's writes apart; it stays, for it is small. */
  public synchronized WriteGate gate(String subsystem) {
    return gates.computeIfAbsent(subsystem, name -> new WriteGate());
  }

  public synchronized Optional<NvmeController> find(ControllerId id) {
    return Optional.ofNullable(controllers.get(id));
  }

  /** Returns the numbers of a subsystem's controllers in this bundle, in ascending order. */
  public synchronized List<Integer> numbers(String subsystem) {
    return controllers.keySet().stream()
        .filter(id -> id.subsystem().equals(subsystem))
        .map(ControllerId::number)
        .sorted()
        .toList();
  }

  /** Forgets a controller whose last queue has left. */
  public synchronized void left(NvmeController controller) {
    if (controller.empty()) {
      controllers.remove(controller.id(), controller);
    }
    settleTicker();
  }

  public synchronized void watch(Watched one) {
    watched.add(one);
    settleTicker();
  }

  public synchronized void forget(Watched one) {
    watched.remove(one);
    settleTicker();
  }

  /** Returns the generation of what can be discovered, after a look at it. */
  public synchronized long generation(List<Place> seen) {
    if (!seen.equals(discoverable)) {
      discoverable = List.copyOf(seen);
      generation++;
    }
    return generation;
  }

  public void close() {
    ticker.stop();
  }

  /** Looks after everything once. */
  void tick() {
    long now = nanoTime.getAsLong();
    List<Watched> all;
    List<NvmeController> present;
    synchronized (this) {
      all = new ArrayList<>(watched);
      present = new ArrayList<>(controllers.values());
    }
    for (Watched one : all) {
      if (!one.tick(now)) {
        forget(one);
      }
    }
    for (NvmeController controller : present) {
      controller.tick(now);
      left(controller);
    }
  }

  private NvmeController add(NvmeController controller) {
    controllers.put(controller.id(), controller);
    settleTicker();
    return controller;
  }

  private void settleTicker() {
    if (controllers.isEmpty() && watched.isEmpty()) {
      ticker.stop();
    } else {
      ticker.start();
    }
  }
}
