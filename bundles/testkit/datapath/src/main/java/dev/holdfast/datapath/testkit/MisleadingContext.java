package dev.holdfast.datapath.testkit;

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
import java.util.function.UnaryOperator;

/**
 * A context that returns altered resources of one kind.
 *
 * @param truth the real context
 * @param kind kind of the altered resources
 * @param lie alteration of a resource
 */
public record MisleadingContext<L extends Resource<L>>(
    ReconcileContext truth, ResourceKind<L> kind, UnaryOperator<L> lie)
    implements ReconcileContext {

  @Override
  public <R extends Resource<R>> Optional<R> get(ResourceKind<R> wanted, String name) {
    Optional<R> found = truth.get(wanted, name);
    return found
        .filter(kind.type()::isInstance)
        .map(resource -> wanted.type().cast(lie.apply(kind.type().cast(resource))))
        .or(() -> found);
  }

  @Override
  public <R extends Resource<R>> List<R> list(ResourceKind<R> wanted, LabelSelector selector) {
    return truth.list(wanted, selector);
  }

  @Override
  public ResourceStore store() {
    return truth.store();
  }

  @Override
  public KindCatalogue kinds() {
    return truth.kinds();
  }

  @Override
  public Clock clock() {
    return truth.clock();
  }

  @Override
  public String nodeName() {
    return truth.nodeName();
  }

  @Override
  public EventRecorder events() {
    return truth.events();
  }
}
