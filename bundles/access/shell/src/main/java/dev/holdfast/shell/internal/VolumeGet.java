package dev.holdfast.shell.internal;

import dev.holdfast.client.Volumes;
import dev.holdfast.commands.Output;
import dev.holdfast.error.StorageException;
import dev.holdfast.store.ResourceStore;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.lifecycle.Service;

/** {@code holdfast:volume-get}. */
@Service
@Command(
    scope = "holdfast",
    name = "volume-get",
    description = "Show one volume; with -o json the resource itself.")
public final class VolumeGet extends StoreCommand {
  @Argument(name = "name", description = "The volume's name.", required = true)
  @Completion(VolumeNames.class)
  private String name;

  @Override
  Output run(ResourceStore resources) throws StorageException {
    return volumeViews().volume(new Volumes(resources).get(name));
  }
}
