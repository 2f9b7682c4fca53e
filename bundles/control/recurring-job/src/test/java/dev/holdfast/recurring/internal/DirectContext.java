package dev.holdfast.recurring.internal;

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

/** A context whose cache is the store. */
final class DirectContext implements ReconcileContext, EventRecorder {
  final List<String> events = new ArrayList<>();
  private final ResourceStore store;
  private final Clock clock;

  DirectContext(ResourceStore store, Clock clock) {
    this.store = store;
    this.clock = clock;
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
    return clock;
  }

  @Override
  public String nodeName() {
    return "node-1";
  }

  @Override
  public EventRecorder events() {
    return this;
  }

  @Override
  public void normal(Resource<?> about, String reason, String message) {
    events.add(reason + ": " + message);
  }

  @Override
  public void warning(Resource<?> about, String reason, String message) {
    events.add(reason + ": " + message);
  }
}
