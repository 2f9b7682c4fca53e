package dev.holdfast.shell.internal;

import dev.holdfast.client.Volumes;
import dev.holdfast.commands.Output;
import dev.holdfast.error.StorageException;
import dev.holdfast.store.ResourceStore;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.lifecycle.Service;

/** {@code holdfast:volume-expand}. */
@Service
@Command(
    scope = "holdfast",
    name = "volume-expand",
    description = "Let a volume grow, in use or not.")
public final class VolumeExpand extends WaitingCommand {
  @Argument(name = "volume", description = "The volume's name.", required = true)
  @Completion(VolumeNames.class)
  private String volume;

  @Argument(
      index = 1,
      name = "size",
      description = "The new size, for example 2Gi.",
      required = true)
  private String size;

  @Override
  Output run(ResourceStore resources) throws StorageException {
    return volumeViews().expanded(new Volumes(resources).expand(volume, size, waiting()), size);
  }
}
