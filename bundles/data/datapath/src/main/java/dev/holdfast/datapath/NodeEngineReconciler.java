package dev.holdfast.datapath;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Scope;
import dev.holdfast.controller.Watched;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.Volume;

/**
 * A reconciler of the engines that this node has open. Each node runs its own. Its calls follow the
 * thread rules of {@link Reconciler}.
 */
public interface NodeEngineReconciler extends Reconciler<Engine> {
  @Override
  default ResourceKind<Engine> kind() {
    return Engine.KIND;
  }

  @Override
  default Scope scope() {
    return Scope.NODE;
  }

  /**
   * Returns a watch that maps each changed volume to its engines.
   *
   * @param context of the controller, not null
   */
  static Watched<Volume> volumesOf(ReconcileContext context) {
    return new Watched<>(Volume.KIND, volume -> ActiveEngines.namesOf(volume.name(), context));
  }
}
