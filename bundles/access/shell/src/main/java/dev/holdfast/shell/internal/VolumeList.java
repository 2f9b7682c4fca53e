package dev.holdfast.shell.internal;

import dev.holdfast.client.Volumes;
import dev.holdfast.commands.Output;
import dev.holdfast.error.StorageException;
import dev.holdfast.store.ResourceStore;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.lifecycle.Service;

/** {@code holdfast:volume-list}. */
@Service
@Command(scope = "holdfast", name = "volume-list", description = "Show all volumes.")
public final class VolumeList extends StoreCommand {

  @Override
  Output run(ResourceStore resources) throws StorageException {
    return volumeViews().volumes(new Volumes(resources).list());
  }
}
