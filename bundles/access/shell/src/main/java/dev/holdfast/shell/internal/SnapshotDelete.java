package dev.holdfast.shell.internal;

import dev.holdfast.commands.Output;
import dev.holdfast.error.StorageException;
import dev.holdfast.store.ResourceStore;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.lifecycle.Service;

/** {@code holdfast:snapshot-delete}. */
@Service
@Command(
    scope = "holdfast",
    name = "snapshot-delete",
    description = "Remove a snapshot; what later ones need of it is kept.")
public final class SnapshotDelete extends WaitingCommand {
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
    return snapshotViews()
        .deleted(volume, name, snapshots(resources).delete(volume, name, waiting()));
  }
}
