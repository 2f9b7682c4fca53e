package dev.holdfast.shell.internal;

import dev.holdfast.client.SnapshotDiffs;
import dev.holdfast.commands.Output;
import dev.holdfast.error.StorageException;
import dev.holdfast.store.ResourceStore;
import java.time.Clock;
import java.util.Optional;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Service;

/** {@code holdfast:snapshot-diff}. */
@Service
@Command(
    scope = "holdfast",
    name = "snapshot-diff",
    description = "Show where a snapshot differs from an earlier one, in bytes.")
public final class SnapshotDiff extends WaitingCommand {
  @Argument(name = "volume", description = "The volume's name.", required = true)
  @Completion(VolumeNames.class)
  private String volume;

  @Argument(
      index = 1,
      name = "to",
      description = "The later snapshot's name in the volume.",
      required = true)
  @Completion(SnapshotNames.class)
  private String later;

  @Option(
      name = "--from",
      description = "The earlier snapshot's name. Default: show what is allocated.")
  private String earlier;

  @Override
  Output run(ResourceStore resources) throws StorageException {
    Optional<String> from = Optional.ofNullable(earlier);
    return snapshotViews()
        .differing(
            volume,
            from,
            later,
            new SnapshotDiffs(resources, Clock.systemUTC()).diff(volume, from, later, waiting()));
  }
}
