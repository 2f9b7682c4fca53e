package dev.holdfast.recurring.internal;

import dev.holdfast.controller.EventRecorder;
import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.resource.KindCatalogue;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.time.Clock;
import java.util.List;
import java.util.Optional;

/**
 * A context with another clock.
 *
 * @param context context for all other calls
 * @param clock the clock
 */
record ShiftedContext(ReconcileContext context, Clock clock) implements ReconcileContext {
  @Override
  public <R extends Resource<R>> Optional<R> get(ResourceKind<R> kind, String name) {
    return context.get(kind, name);
  }

  @Override
  public <R extends Resource<R>> List<R> list(ResourceKind<R> kind, LabelSelector selector) {
    return context.list(kind, selector);
  }

  @Override
  public ResourceStore store() {
    return context.store();
  }

  @Override
  public KindCatalogue kinds() {
    return context.kinds();
  }

  @Override
  public String nodeName() {
    return context.nodeName();
  }

  @Override
  public EventRecorder events() {
    return context.events();
  }
}
