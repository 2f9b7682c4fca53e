package dev.holdfast.shell.internal;

import dev.holdfast.client.Volumes;
import dev.holdfast.commands.Output;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.store.ResourceStore;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Service;

/** {@code holdfast:volume-delete}. */
@Service
@Command(
    scope = "holdfast",
    name = "volume-delete",
    description = "Delete a volume and its data; an attached one is refused.")
public final class VolumeDelete extends HostCommand {
  @Argument(name = "name", description = "The volume's name.", required = true)
  @Completion(VolumeNames.class)
  private String name;

  @Option(
      name = "--when-detached",
      description = "Delete it once it is detached and no workload asks for it.")
  private boolean whenDetached;

  @Option(
      name = "--cancel",
      description = "Take back what '--when-detached' asked for, as long as it is attached.")
  private boolean cancel;

  @Override
  Output run(ResourceStore resources) throws StorageException {
    Volumes volumes = new Volumes(resources);
    if (whenDetached && cancel) {
      throw new StorageException(
          ErrorCode.INVALID, "--when-detached and --cancel exclude each other: give one of them");
    }
    if (cancel) {
      return volumeViews().deletionCancelled(volumes.cancelDeletion(name));
    }
    if (whenDetached) {
      return volumeViews().deletedWhenDetached(volumes.deleteWhenDetached(name));
    }
    mounts(resources).requireUnmounted(name);
    return volumeViews().deleted(name, volumes.delete(name, waiting()));
  }
}
