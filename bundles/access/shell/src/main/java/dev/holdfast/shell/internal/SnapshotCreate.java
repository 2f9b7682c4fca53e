package dev.holdfast.shell.internal;

import dev.holdfast.commands.Output;
import dev.holdfast.error.StorageException;
import dev.holdfast.store.ResourceStore;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.lifecycle.Service;

/** {@code holdfast:snapshot-create}. */
@Service
@Command(
    scope = "holdfast",
    name = "snapshot-create",
    description = "Keep what a volume holds now, and wait until that is done.")
public final class SnapshotCreate extends WaitingCommand {
  @Argument(name = "volume", description = "The volume's name.", required = true)
  @Completion(VolumeNames.class)
  private String volume;

  @Argument(
      index = 1,
      name = "name",
      description = "The snapshot's name in the volume. Default: from the time.")
  private String name;

  @Override
  Output run(ResourceStore resources) throws StorageException {
    return snapshotViews().created(snapshots(resources).create(volume, given(name), waiting()));
  }
}
