package dev.holdfast.datapath.testkit;

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
 * A reconciler with a planted defect, to show that a simulation detects it.
 *
 * @param sound the reconciler without the defect
 * @param defect the fault that is injected
 */
public record DefectiveReconciler<R extends Resource<R>>(Reconciler<R> sound, Defect<R> defect)
    implements Reconciler<R> {

  /** Action of a defective reconciler. */
  public interface Defect<R extends Resource<R>> {
    Result reconcile(Reconciler<R> sound, String name, ReconcileContext context)
        throws StorageException;
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
    return defect.reconcile(sound, name, context);
  }
}
