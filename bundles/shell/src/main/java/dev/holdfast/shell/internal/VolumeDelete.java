package dev.holdfast.shell.internal;

import dev.holdfast.commands.Output;
import dev.holdfast.commands.Volumes;
import dev.holdfast.error.StorageException;
import dev.holdfast.store.ResourceStore;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.lifecycle.Service;

/** {@code holdfast:volume-delete}. */
@Service
@Command(
    scope = "holdfast",
    name = "volume-delete",
    description = "Delete a volume and its data; an attached one once it is detached.")
public final class VolumeDelete extends HostCommand {
  @Argument(name = "name", description = "The volume's name.", required = true)
  @Completion(VolumeNames.class)
  private String name;

  @Override
  Output run(ResourceStore resources) throws StorageException {
    mounts(resources).requireUnmounted(name);
    return volumeViews().deleted(name, new Volumes(resources).delete(name, waiting()));
  }
}
