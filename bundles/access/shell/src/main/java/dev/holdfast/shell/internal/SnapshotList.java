package dev.holdfast.shell.internal;

import dev.holdfast.commands.Output;
import dev.holdfast.error.StorageException;
import dev.holdfast.store.ResourceStore;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.lifecycle.Service;

/** {@code holdfast:snapshot-list}. */
@Service
@Command(
    scope = "holdfast",
    name = "snapshot-list",
    description = "Show the snapshots of a volume, each below the one it stands on.")
public final class SnapshotList extends StoreCommand {
  @Argument(name = "volume", description = "The volume's name.", required = true)
  @Completion(VolumeNames.class)
  private String volume;

  @Override
  Output run(ResourceStore resources) throws StorageException {
    return snapshotViews().tree(volume, snapshots(resources).list(volume));
  }
}
