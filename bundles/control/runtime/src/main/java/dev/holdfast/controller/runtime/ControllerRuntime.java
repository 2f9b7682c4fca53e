package dev.holdfast.controller.runtime;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.resource.KindCatalogue;
import dev.holdfast.resource.Resource;
import dev.holdfast.store.ResourceStore;
import java.time.Clock;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/**
 * Runs the reconcilers of one node. Each kind is mirrored once for all readers. Reconcilers may be
 * added and removed at any time. Removing one waits for its running steps. Thread-safe.
 */
public final class ControllerRuntime implements AutoCloseable {
  private final KindCatalogue kinds;
  private final Clock clock;
  private final String nodeName;
  private final TaskExecutor tasks;
  private final RandomGenerator random;
  private final RuntimeSettings settings;
  private final Informers informers;
  private final CachedStore cachedStore;
  private final StoreEventRecorder events;
  private final IdentityHashMap<Reconciler<?>, Controller<?>> controllers = new IdentityHashMap<>();
  private boolean closed;

  /**
   * Creates a runtime without reconcilers.
   *
   * @param store the store of the resources, not null
   * @param kinds that are present, not null
   * @param nodeName the node on which this runs, not null
   * @param clock the wall clock, which may be wrong, not null
   * @param tasks executor of the work; not closed by this runtime, not null
   * @param random for jitter, not null
   * @param settings workers, delays and lease times, not null
   */
  public ControllerRuntime(
      ResourceStore store,
      KindCatalogue kinds,
      String nodeName,
      Clock clock,
      TaskExecutor tasks,
      RandomGenerator random,
      RuntimeSettings settings) {
    this.kinds = kinds;
    this.clock = clock;
    this.nodeName = nodeName;
    this.tasks = tasks;
    this.random = random;
    this.settings = settings;
    this.informers = new Informers(store, tasks, random);
    this.cachedStore = new CachedStore(store, informers);
    this.events = new StoreEventRecorder(store, clock, tasks);
    events.start();
  }

  /** Starts to run a reconciler. */
  public <R extends Resource<R>> void add(Reconciler<R> reconciler) {
    add(reconciler, reconciler.getClass().getName());
  }

  /**
   * Starts to run a reconciler.
   *
   * @param origin the bundle of the reconciler, for messages, not null
   */
  public <R extends Resource<R>> void add(Reconciler<R> reconciler, String origin) {
    ReconcileContext context =
        new RuntimeContext(
            informers, cachedStore, kinds, clock, nodeName, events.recorder(reconciler.name()));
    Controller<R> controller =
        new Controller<>(reconciler, origin, context, informers, tasks, random, settings);
    synchronized (this) {
      if (closed || controllers.putIfAbsent(reconciler, controller) != null) {
        return;
      }
    }
    controller.start();
  }

  /** Removes a reconciler. Returns when its running steps have ended. */
  public void remove(Reconciler<?> reconciler) {
    Optional<Controller<?>> controller;
    synchronized (this) {
      controller = Optional.ofNullable(controllers.remove(reconciler));
    }
    controller.ifPresent(Controller::close);
  }

  /** Returns the statistics of each reconciler, by its name. */
  public Map<String, ControllerStatistics> statistics() {
    Map<String, ControllerStatistics> result = new TreeMap<>();
    synchronized (this) {
      controllers.forEach((r, controller) -> result.put(r.name(), controller.statistics()));
    }
    return result;
  }

  /** Returns the reconcilers that hang or fail now, never null. */
  public List<ReconcilerTrouble> troubles() {
    synchronized (this) {
      return controllers.values().stream()
          .flatMap(controller -> controller.troubles().stream())
          .toList();
    }
  }

  /** Stops all reconcilers. Returns when all steps have ended. */
  @Override
  public void close() {
    List<Controller<?>> all;
    synchronized (this) {
      closed = true;
      all = new ArrayList<>(controllers.values());
      controllers.clear();
    }
    all.forEach(Controller::close);
    events.close();
    informers.close();
  }
}
