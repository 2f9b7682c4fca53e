package dev.holdfast.shell.internal;

import dev.holdfast.client.Disks;
import dev.holdfast.commands.Output;
import dev.holdfast.error.StorageException;
import dev.holdfast.store.ResourceStore;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.lifecycle.Service;

/** {@code holdfast:disk-list}. */
@Service
@Command(scope = "holdfast", name = "disk-list", description = "Show all disks.")
public final class DiskList extends StoreCommand {

  @Override
  Output run(ResourceStore resources) throws StorageException {
    return nodeViews().disks(new Disks(resources).list());
  }
}
