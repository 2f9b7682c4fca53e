package dev.holdfast.upgrader.internal;

import dev.holdfast.controller.EventRecorder;
import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.KindCatalogue;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** View of a reconciler of one node: the store as it is. */
final class StoreContext implements ReconcileContext, EventRecorder {
  private final ResourceStore store;
  private final String node;
  private final List<String> told = new ArrayList<>();

  StoreContext(ResourceStore store, String node) {
    this.store = store;
    this.node = node;
  }

  /** Returns the kinds, names and reasons of the events so far. */
  List<String> reported() {
    return List.copyOf(told);
  }

  @Override
  public <R extends Resource<R>> Optional<R> get(ResourceKind<R> kind, String name) {
    try {
      return store.get(kind, name);
    } catch (StorageException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public <R extends Resource<R>> List<R> list(ResourceKind<R> kind, LabelSelector selector) {
    try {
      return store.list(kind, selector).items();
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
    return Clock.fixed(Instant.EPOCH, ZoneOffset.UTC);
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
    throw new AssertionError("nothing normal is to be told: " + message);
  }

  @Override
  public void warning(Resource<?> about, String reason, String message) {
    told.add(about.getClass().getSimpleName() + " " + about.name() + " " + reason);
  }
}
