package dev.holdfast.shell.internal;

import dev.holdfast.commands.Output;
import dev.holdfast.error.StorageException;
import dev.holdfast.store.ResourceStore;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.lifecycle.Service;

/** {@code holdfast:snapshot-purge}. */
@Service
@Command(
    scope = "holdfast",
    name = "snapshot-purge",
    description = "Remove the snapshots that the system made for its own work.")
public final class SnapshotPurge extends WaitingCommand {
  @Argument(name = "volume", description = "The volume's name.", required = true)
  @Completion(VolumeNames.class)
  private String volume;

  @Override
  Output run(ResourceStore resources) throws StorageException {
    return snapshotViews().purged(volume, snapshots(resources).purge(volume, waiting()));
  }
}
