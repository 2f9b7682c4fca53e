package dev.holdfast.shell.internal;

import dev.holdfast.client.Snapshots;
import dev.holdfast.commands.NodeViews;
import dev.holdfast.commands.Output;
import dev.holdfast.commands.SnapshotViews;
import dev.holdfast.commands.VolumeViews;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.store.ResourceStore;
import java.time.Clock;
import java.util.Arrays;
import java.util.Optional;
import org.apache.karaf.shell.api.action.Action;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.apache.karaf.shell.api.console.Session;
import org.apache.karaf.shell.support.completers.StringsCompleter;

/** A command over the store whose result it prints. The shell makes one for each use. */
abstract class StoreCommand implements Action {
  @Reference private ResourceStore store;
  @Reference private Session session;

  @Option(
      name = "-o",
      aliases = "--output",
      description = "How the result is printed: text or json.")
  @Completion(
      value = StringsCompleter.class,
      values = {"text", "json"})
  private String format = "text";

  /** Does what the command is for. */
  abstract Output run(ResourceStore resources) throws StorageException;

  /** Prints the result: a shell without a terminal does not show what a command returns. */
  @Override
  public final Object execute() throws StorageException {
    Output.Format chosen =
        Arrays.stream(Output.Format.values())
            .filter(candidate -> candidate.toString().equals(format))
            .findFirst()
            .orElseThrow(() -> new StorageException(ErrorCode.INVALID, "-o must be text or json"));
    print(run(store).as(chosen));
    return null;
  }

  final void print(String line) {
    session.getConsole().println(line);
    // Over SSH without a terminal, only the command itself flushes the output.
    session.getConsole().flush();
  }

  static VolumeViews volumeViews() {
    return new VolumeViews(Clock.systemUTC());
  }

  static Snapshots snapshots(ResourceStore resources) {
    return new Snapshots(resources, Clock.systemUTC());
  }

  static SnapshotViews snapshotViews() {
    return new SnapshotViews(Clock.systemUTC());
  }

  static NodeViews nodeViews() {
    return new NodeViews(Clock.systemUTC());
  }

  /** The shell leaves a field alone when its option was not given. */
  static Optional<String> given(String option) {
    return Optional.ofNullable(option);
  }
}
