package dev.holdfast.backup.internal;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.engine.EngineProvider;
import dev.holdfast.node.InitialContentSource;
import dev.holdfast.node.InitialContentState;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.ReplicaLink;
import dev.holdfast.resource.volume.Volume;
import org.osgi.service.component.annotations.Component;

/**
 * First content of restored volumes: their replicas are created empty and filled later. The bundle
 * that keeps images creates the replicas of a volume on an image.
 */
@Component(service = InitialContentSource.class)
public final class BackupContentSource implements InitialContentSource {
  @Override
  public boolean supplies(Volume volume) {
    return !volume.spec().fromBackup().isEmpty()
        && volume.spec().backingImage().isEmpty()
        && volume.awaitsContent();
  }

  @Override
  public InitialContentState provide(
      Volume volume,
      Replica replica,
      EngineProvider engine,
      boolean made,
      ReconcileContext context) {
    boolean described =
        switch (volume.status().restore().state()) {
          case NONE, FAILED -> false;
          case INITIATED, COPY_COMPLETED_AWAITING_HEALTHY, COMPLETED -> true;
        };
    return described || made
        ? new InitialContentState.Later()
        : new InitialContentState.Awaited(
            "waits until the backup is read: it may be based on an image", ReplicaLink.NONE);
  }
}
