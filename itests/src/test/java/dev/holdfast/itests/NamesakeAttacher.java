package dev.holdfast.itests;

import dev.holdfast.attacher.AttacherProvider;
import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Scope;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.volume.Volume;

/** An attacher that has the name of another one; its reconciler fails for each volume. */
public final class NamesakeAttacher implements AttacherProvider, Reconciler<Volume> {
  @Override
  public String name() {
    return "api";
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
    throw new IllegalStateException("planted");
  }
}
