package dev.holdfast.controller.testkit;

import dev.holdfast.controller.EventRecorder;
import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.KindCatalogue;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A context for single calls of a reconciler: reads a store instead of a cache, and records the
 * events. For one thread.
 */
public final class StoreContext implements ReconcileContext, EventRecorder {
  private final ResourceStore cache;
  private final ResourceStore store;
  private final Clock clock;
  private final String node;
  private final List<ReportedEvent> reported = new ArrayList<>();

  /**
   * An event that a reconciler reported.
   *
   * @param warning whether it warns
   * @param about the resource
   * @param reason one word in camel case
   * @param message text for users
   */
  public record ReportedEvent(boolean warning, Resource<?> about, String reason, String message) {}

  /**
   * Creates the context of a reconciler.
   *
   * @param store store of the reconciler, not null
   * @param clock the clock that the reconciler uses, not null
   * @param node node of the reconciler, not null
   */
  public StoreContext(ResourceStore store, Clock clock, String node) {
    this(store, store, clock, node);
  }

  /**
   * Creates a context whose store may fail although the cache answers.
   *
   * @param cache source of {@link #get} and {@link #list}, not null
   * @param store result of {@link #store}, not null
   * @param clock the clock that the reconciler uses, not null
   * @param node node of the reconciler, not null
   */
  public StoreContext(ResourceStore cache, ResourceStore store, Clock clock, String node) {
    this.cache = cache;
    this.store = store;
    this.clock = clock;
    this.node = node;
  }

  /** Returns and clears the events since the last call, oldest first; never null. */
  public List<ReportedEvent> takeReported() {
    List<ReportedEvent> taken = List.copyOf(reported);
    reported.clear();
    return taken;
  }

  @Override
  public <R extends Resource<R>> Optional<R> get(ResourceKind<R> kind, String name) {
    try {
      return cache.get(kind, name);
    } catch (StorageException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public <R extends Resource<R>> List<R> list(ResourceKind<R> kind, LabelSelector selector) {
    try {
      return cache.list(kind, selector).items();
    } catch (StorageException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public ResourceStore store() {
    return store;
  }

  @Override
  public KindCatalogue kinds() {
    return KindCatalogue.load();
  }

  @Override
  public Clock clock() {
    return clock;
  }

  @Override
  public String nodeName() {
    return node;
  }

  @Override
  public EventRecorder events() {
    return this;
  }

  @Override
  public void normal(Resource<?> about, String reason, String message) {
    reported.add(new ReportedEvent(false, about, reason, message));
  }

  @Override
  public void warning(Resource<?> about, String reason, String message) {
    reported.add(new ReportedEvent(true, about, reason, message));
  }
}
