package dev.holdfast.shell.internal;

import dev.holdfast.commands.Output;
import dev.holdfast.error.StorageException;
import dev.holdfast.store.ResourceStore;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.lifecycle.Service;

/** {@code holdfast:volume-scrub}. */
@Service
@Command(
    scope = "holdfast",
    name = "volume-scrub",
    description = "Compare the snapshots of a volume with their checksums, and repair.")
public final class VolumeScrub extends WaitingCommand {
  @Argument(name = "volume", description = "The volume's name.", required = true)
  @Completion(VolumeNames.class)
  private String volume;

  @Override
  Output run(ResourceStore resources) throws StorageException {
    return snapshotViews().scrubbed(volume, snapshots(resources).scrub(volume, waiting()));
  }
}
