package dev.holdfast.shell.internal;

import dev.holdfast.commands.Output;
import dev.holdfast.error.StorageException;
import dev.holdfast.store.ResourceStore;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.lifecycle.Service;

/** {@code holdfast:snapshot-revert}. */
@Service
@Command(
    scope = "holdfast",
    name = "snapshot-revert",
    description = "Make a snapshot the content of its volume, which must be detached.")
public final class SnapshotRevert extends HostCommand {
  @Argument(name = "volume", description = "The volume's name.", required = true)
  @Completion(VolumeNames.class)
  private String volume;

  @Argument(
      index = 1,
      name = "name",
      description = "The snapshot's name in the volume.",
      required = true)
  @Completion(SnapshotNames.class)
  private String name;

  @Override
  Output run(ResourceStore resources) throws StorageException {
    mounts(resources).requireUnmounted(volume);
    return snapshotViews().reverted(snapshots(resources).revert(volume, name, waiting()));
  }
}
