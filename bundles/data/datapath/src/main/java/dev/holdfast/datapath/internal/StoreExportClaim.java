package dev.holdfast.datapath.internal;

import dev.holdfast.datapath.CurrentStore;
import dev.holdfast.datapath.internal.condition.ServingCondition;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.volume.Engine;
import java.time.InstantSource;
import java.util.Optional;

/** The record in an Engine that an export of its engine may serve hosts. */
record StoreExportClaim(CurrentStore store, String engine, InstantSource clock)
    implements VolumeServing.ExportClaim {

  @Override
  public boolean isReserved() throws StorageException {
    return store.get().get(Engine.KIND, engine).filter(StoreExportState::isHeld).isPresent();
  }

  @Override
  public void record() throws StorageException {
    Optional<Engine> recorded =
        EngineReporter.report(
            store.get(),
            engine,
            stored ->
                stored.withStatus(ServingCondition.claimed(stored.status(), clock.instant())));
    if (recorded.isEmpty()) {
      throw new StorageException(
          ErrorCode.NOT_FOUND, "engine " + engine + " is gone: its volume is not exported");
    }
  }
}
