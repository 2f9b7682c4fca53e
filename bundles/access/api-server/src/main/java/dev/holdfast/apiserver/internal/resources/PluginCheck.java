package dev.holdfast.apiserver.internal.resources;

import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumePlugins;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.util.Optional;

/** Rejects volumes with an engine or a frontend that is missing on all nodes. */
record PluginCheck(ResourceStore store) {
  /**
   * Checks a resource before a write.
   *
   * @throws StorageException INVALID with the field
   */
  void require(Resource<?> wanted) throws StorageException {
    if (wanted instanceof Volume volume) {
      Optional<Volume> before = store.get(Volume.KIND, volume.name());
      VolumePlugins.requireInstalled(
          volume, before, store.list(Node.KIND, LabelSelector.ALL).items());
    }
  }
}
