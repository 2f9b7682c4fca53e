package dev.holdfast.cli;

import dev.holdfast.client.Waiting;
import dev.holdfast.commands.MountViews;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.Filesystem;
import dev.holdfast.mounts.MountRequest;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code holdfast mount}. */
@Command(
    name = "mount",
    description = {
      "Mount a volume on this host: attach it, connect it, and mount its filesystem.",
      "An empty volume gets a filesystem; anything else on it is left as it is.",
      "Without arguments, show what is mounted."
    })
final class MountCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Spec private CommandSpec spec;

  @Parameters(index = "0", arity = "0..1", paramLabel = "NAME", description = "The volume's name.")
  private Optional<String> name = Optional.empty();

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "DIR",
      description = "Where to; made when it is missing.")
  private Optional<Path> directory = Optional.empty();

  @Option(
      names = "--fs",
      paramLabel = "FS",
      description = "The filesystem to make on an empty volume, ext4 (default) or xfs.")
  private Optional<String> filesystem = Optional.empty();

  @Option(names = "--node", paramLabel = "NODE", description = "The node to attach it to.")
  private Optional<String> node = Optional.empty();

  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      defaultValue = "60",
      description = "How long to wait for the attachment. Default: ${DEFAULT-VALUE}.")
  private int timeout;

  @Option(
      names = "--persist",
      description = "Mount it again after a reboot, by 'holdfast mount --restore'.")
  private boolean persistent;

  @Option(
      names = "--restore",
      description = "Wait for the node, then mount again all that was mounted with --persist.")
  private boolean restore;

  MountCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() throws StorageException {
    MountViews views = new MountViews();
    if (restore) {
      return restore(views);
    }
    if (name.isEmpty()) {
      return invocation.print(store -> views.mounts(invocation.mounts(store).list()));
    }
    Path where = directory.orElseThrow(() -> wrong("DIR is missing: where is it to be mounted?"));
    MountRequest request =
        new MountRequest(
            name.get(), where.toAbsolutePath(), filesystem.map(this::filesystem), node, persistent);
    return invocation.print(
        store ->
            views.mounted(
                invocation.mounts(store).mount(request, invocation.waiting(true, timeout))));
  }

  private Integer restore(MountViews views) throws StorageException {
    if (name.isPresent() || filesystem.isPresent() || node.isPresent() || persistent) {
      throw wrong("--restore takes no NAME, no DIR and no option but --timeout");
    }
    Waiting waiting = invocation.waiting(true, timeout);
    invocation.awaitNode(waiting.timeout());
    Failures failures = new Failures(spec.commandLine().getErr());
    invocation.print(store -> views.restored(invocation.mounts(store).restore(failures, waiting)));
    return failures.exitCode();
  }

  private Filesystem filesystem(String text) {
    return Filesystem.named(text)
        .orElseThrow(() -> wrong("--fs must be one of " + Filesystem.names()));
  }

  private CommandLine.ParameterException wrong(String message) {
    return new CommandLine.ParameterException(spec.commandLine(), message);
  }
}
