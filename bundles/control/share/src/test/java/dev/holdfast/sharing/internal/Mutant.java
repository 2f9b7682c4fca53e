package dev.holdfast.sharing.internal;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Scope;
import dev.holdfast.controller.Watched;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import java.util.List;

/**
 * A reconciler with a planted defect.
 *
 * @param sound the reconciler without the defect
 * @param defect called before each step; false skips the step
 */
record Mutant<R extends Resource<R>>(Reconciler<R> sound, Defect defect) implements Reconciler<R> {
  /** A planted defect. */
  interface Defect {
    boolean before(String name, ReconcileContext context) throws StorageException;
  }

  @Override
  public String name() {
    return sound.name();
  }

  @Override
  public ResourceKind<R> kind() {
    return sound.kind();
  }

  @Override
  public Scope scope() {
    return sound.scope();
  }

  @Override
  public List<Watched<?>> watches(ReconcileContext context) {
    return sound.watches(context);
  }

  @Override
  public Result reconcile(String name, ReconcileContext context) throws StorageException {
    return defect.before(name, context) ? sound.reconcile(name, context) : Result.DONE;
  }
}
