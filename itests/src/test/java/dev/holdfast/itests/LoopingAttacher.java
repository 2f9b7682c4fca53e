package dev.holdfast.itests;

import dev.holdfast.attacher.AttacherProvider;
import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Scope;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.volume.Volume;
import java.util.concurrent.locks.LockSupport;

/** An attacher that never returns from the reconciliation of the volume with its name. */
public final class LoopingAttacher implements AttacherProvider, Reconciler<Volume> {
  static final String NAME = "looping-attacher";

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public int priority() {
    return 1;
  }

  @Override
  public Role role() {
    return Role.INTERRUPTIBLE;
  }

  @Override
  public ResourceKind<Volume> kind() {
    return Volume.KIND;
  }

  @Override
  public Scope scope() {
    return Scope.NODE;
  }

  @Override
  public Result reconcile(String name, ReconcileContext context) {
    while (name.equals(NAME)) {
      LockSupport.parkNanos(1_000_000);
    }
    return Result.DONE;
  }
}
