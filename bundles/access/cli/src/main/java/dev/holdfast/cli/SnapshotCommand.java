package dev.holdfast.cli;

import dev.holdfast.client.SnapshotDiffs;
import dev.holdfast.client.Snapshots;
import dev.holdfast.commands.SnapshotViews;
import dev.holdfast.error.StorageException;
import dev.holdfast.store.ResourceStore;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code holdfast snapshot …}. */
@Command(
    name = "snapshot",
    description = "Take, show, remove and go back to snapshots of volumes.",
    synopsisSubcommandLabel = "COMMAND")
final class SnapshotCommand extends CommandGroup {
  private static final String VOLUME = "The volume's name.";
  private static final String NAME = "The snapshot's name in the volume.";

  SnapshotCommand(Invocation invocation) {
    super(invocation);
  }

  @Command(description = "Keep what a volume holds now, and wait until that is done.")
  int create(
      @Parameters(paramLabel = "VOLUME", description = VOLUME) String volume,
      @Parameters(
              paramLabel = "NAME",
              arity = "0..1",
              description = "The snapshot's name in the volume. Default: from the time.")
          String name,
      @Mixin WaitOptions wait)
      throws StorageException {
    return invocation()
        .print(
            store ->
                views()
                    .created(
                        snapshots(store)
                            .create(volume, Optional.ofNullable(name), wait.of(invocation()))));
  }

  @Command(description = "Show the snapshots of a volume, each below the one it stands on.")
  int list(@Parameters(paramLabel = "VOLUME", description = VOLUME) String volume)
      throws StorageException {
    return invocation().print(store -> views().tree(volume, snapshots(store).list(volume)));
  }

  @Command(description = "Remove a snapshot; what later ones need of it is kept.")
  int delete(
      @Parameters(paramLabel = "VOLUME", description = VOLUME) String volume,
      @Parameters(paramLabel = "NAME", description = NAME) String name,
      @Mixin WaitOptions wait)
      throws StorageException {
    return invocation()
        .print(
            store ->
                views()
                    .deleted(
                        volume,
                        name,
                        snapshots(store).delete(volume, name, wait.of(invocation()))));
  }

  @Command(
      description = {
        "Make a snapshot the content of its volume, which must be detached.",
        "What was written since is kept in a snapshot of the system."
      })
  int revert(
      @Parameters(paramLabel = "VOLUME", description = VOLUME) String volume,
      @Parameters(paramLabel = "NAME", description = NAME) String name,
      @Mixin WaitOptions wait)
      throws StorageException {
    return invocation()
        .print(
            store -> {
              invocation().mounts(store).requireUnmounted(volume);
              return views().reverted(snapshots(store).revert(volume, name, wait.of(invocation())));
            });
  }

  @Command(description = "Remove the snapshots that the system made for its own work.")
  int purge(
      @Parameters(paramLabel = "VOLUME", description = VOLUME) String volume,
      @Mixin WaitOptions wait)
      throws StorageException {
    return invocation()
        .print(
            store -> views().purged(volume, snapshots(store).purge(volume, wait.of(invocation()))));
  }

  @Command(
      description = {
        "Show where a snapshot differs from an earlier one, in bytes.",
        "Without FROM: what it has allocated."
      })
  int diff(
      @Parameters(paramLabel = "VOLUME", description = VOLUME) String volume,
      @Parameters(
              paramLabel = "[FROM] TO",
              arity = "1..2",
              description = "Names of snapshots of the volume, the earlier first.")
          List<String> names,
      @Option(
              names = "--timeout",
              paramLabel = "SECONDS",
              defaultValue = "60",
              description = "How long to wait for an answer. Default: ${DEFAULT-VALUE}.")
          int timeout)
      throws StorageException {
    Optional<String> from = names.size() > 1 ? Optional.of(names.get(0)) : Optional.empty();
    String to = names.get(names.size() - 1);
    return invocation()
        .print(
            store ->
                views()
                    .differing(
                        volume,
                        from,
                        to,
                        new SnapshotDiffs(store, invocation().clock())
                            .diff(volume, from, to, invocation().waiting(true, timeout))));
  }

  private static Snapshots snapshots(ResourceStore store) {
    return new Snapshots(store, Clock.systemUTC());
  }

  private SnapshotViews views() {
    return new SnapshotViews(invocation().clock());
  }
}
