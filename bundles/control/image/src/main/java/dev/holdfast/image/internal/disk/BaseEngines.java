package dev.holdfast.image.internal.disk;

import dev.holdfast.datapath.InstalledPlugins;
import dev.holdfast.engine.BaseEngine;
import dev.holdfast.engine.EngineCapability;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;

/** The installed engines that can keep images. */
public final class BaseEngines {
  private BaseEngines() {}

  /**
   * Returns the engine of a name.
   *
   * @param node that needs it
   * @throws StorageException UNSUPPORTED if it is not installed or cannot keep images
   */
  public static BaseEngine find(InstalledPlugins plugins, String name, String node)
      throws StorageException {
    return plugins
        .engine(name)
        .filter(engine -> engine.capabilities().contains(EngineCapability.BASES))
        .filter(BaseEngine.class::isInstance)
        .map(BaseEngine.class::cast)
        .orElseThrow(
            () ->
                new StorageException(
                    ErrorCode.UNSUPPORTED,
                    "engine "
                        + name
                        + " on node "
                        + node
                        + " cannot keep backing images: use an engine that can"));
  }
}
