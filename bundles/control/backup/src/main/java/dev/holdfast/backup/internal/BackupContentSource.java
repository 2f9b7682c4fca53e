package dev.holdfast.backup.internal;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.engine.EngineProvider;
import dev.holdfast.node.InitialContentSource;
import dev.holdfast.node.InitialContentState;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.Volume;
import org.osgi.service.component.annotations.Component;

/**
 * The first content of volumes that are restored: their replicas are made empty and filled later.
 */
@Component(service = InitialContentSource.class)
public final class BackupContentSource implements InitialContentSource {
  @Override
  public boolean supplies(Volume volume) {
    return !volume.spec().fromBackup().isEmpty();
  }

  @Override
  public InitialContentState provide(
      Volume volume,
      Replica replica,
      EngineProvider engine,
      boolean made,
      ReconcileContext context) {
    return new InitialContentState.Later();
  }
}
