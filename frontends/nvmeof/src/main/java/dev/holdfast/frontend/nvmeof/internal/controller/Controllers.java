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

/** The controllers of this bundle, and objects that need periodic checks. Thread-safe. */
public final class Controllers {
  /** Called periodically by one thread. */
  public interface Watched {
    /** Checks time-outs. Returns false when further checks are unnecessary. */
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
  // Starts from the clock, so that numbers ascend from one bundle to the next.
  private long generation;
  private int discoveries = (int) (System.nanoTime() & 0x7fff);

  /**
   * Starts without controllers.
   *
   * @param nanoTime clock like {@code System.nanoTime}
   * @param generation generation of the discoverable exports before the first check
   * @param begin returns a number from 0 up to a limit (exclusive), after which the controller
   *     numbers of a newly published volume start
   */
  public Controllers(LongSupplier nanoTime, long generation, IntUnaryOperator begin) {
    this.nanoTime = nanoTime;
    this.generation = generation;
    this.begin = begin;
    this.ticker = new ControllerTimer(this::tick);
  }

  /**
   * Creates a controller of a volume, with a number that no other bundle's controller has.
   *
   * <p>The number is unique in the subsystem (Base 2.0, figure 275), and the subsystem moves with
   * the volume between nodes. A host may still have a controller of the former node and try to
   * reach it again. Such a host refuses a new controller of the same number, as Linux does. Because
   * nodes do not coordinate each Connect, numbers start at a random one each time the volume is
   * published. If a volume has several paths, each uses a separate range.
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

  /** Creates a controller for discovery. */
  public synchronized NvmeController discover(UUID host, String hostName) {
    ControllerId id;
    do {
      discoveries = discoveries % HIGHEST + 1;
      id = new ControllerId(NvmeNames.DISCOVERY, discoveries);
    } while (controllers.containsKey(id));
    return add(new NvmeController(id, host, hostName));
  }

  /** Returns a controller, and creates it when its first session is resumed here. */
  public synchronized NvmeController resume(ControllerId id, UUID host, String hostName) {
    NvmeController present = controllers.get(id);
    return present != null ? present : add(new NvmeController(id, host, hostName));
  }

  /** Returns the gate of a volume's writes. Gates are never removed, because they are small. */
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

  /** Removes a controller whose last queue has left. */
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

  /** Returns the generation of the discoverable exports after comparing them. */
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

  /** Runs all periodic checks once. */
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
