package dev.holdfast.clone.internal;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.engine.EngineProvider;
import dev.holdfast.error.StorageException;
import dev.holdfast.node.InitialContentSource;
import dev.holdfast.node.InitialContentState;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.Volume;
import org.osgi.service.component.annotations.Component;

/** First content of volumes that are copies of other volumes. */
@Component(service = InitialContentSource.class)
public final class CloneContentSource implements InitialContentSource {
  @Override
  public boolean supplies(Volume volume) {
    return volume.spec().cloneSource().isPresent() && volume.awaitsContent();
  }

  @Override
  public InitialContentState provide(
      Volume volume, Replica replica, EngineProvider engine, boolean made, ReconcileContext context)
      throws StorageException {
    return new LinkedReplicaProvisioner(context).attend(volume, replica, engine, made);
  }
}
