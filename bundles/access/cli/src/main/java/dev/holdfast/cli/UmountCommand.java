package dev.holdfast.cli;

import dev.holdfast.commands.MountViews;
import dev.holdfast.error.StorageException;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code holdfast umount}. */
@Command(
    name = "umount",
    description = "Unmount a volume, disconnect it, and detach it if mounting attached it.")
final class UmountCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Mixin private WaitOptions wait;

  @Spec private CommandSpec spec;

  @Parameters(
      arity = "0..1",
      paramLabel = "NAME|DIR",
      description = "The volume, or where it is mounted.")
  private Optional<String> what = Optional.empty();

  @Option(
      names = "--persistent",
      description =
          "Unmount all that was mounted with --persist, until 'holdfast mount --restore'; the"
              + " volumes stay attached.")
  private boolean persistent;

  UmountCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() throws StorageException {
    MountViews views = new MountViews();
    if (persistent == what.isPresent()) {
      throw new CommandLine.ParameterException(
          spec.commandLine(), "give either NAME or DIR, or --persistent");
    }
    if (persistent) {
      Failures failures = new Failures(spec.commandLine().getErr());
      invocation.print(store -> views.suspended(invocation.mounts(store).suspend(failures)));
      return failures.exitCode();
    }
    return invocation.print(
        store ->
            views.unmounted(invocation.mounts(store).unmount(what.get(), wait.of(invocation))));
  }
}
