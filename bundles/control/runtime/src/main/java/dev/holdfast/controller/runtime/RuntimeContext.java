package dev.holdfast.controller.runtime;

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

/** The context of one reconciler of this runtime. */
record RuntimeContext(
    Informers informers,
    ResourceStore store,
    KindCatalogue kinds,
    Clock clock,
    String nodeName,
    EventRecorder events)
    implements ReconcileContext {

  @Override
  public <R extends Resource<R>> Optional<R> get(ResourceKind<R> kind, String name) {
    return mirror(kind).get(name);
  }

  @Override
  public <R extends Resource<R>> List<R> list(ResourceKind<R> kind, LabelSelector selector) {
    return mirror(kind).list(selector);
  }

  private <R extends Resource<R>> Mirror<R> mirror(ResourceKind<R> kind) {
    Mirror<R> mirror = informers.of(kind).mirror();
    if (!mirror.isSynced()) {
      throw new NotSynced(kind.kind());
    }
    return mirror;
  }
}
