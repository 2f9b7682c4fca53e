package dev.holdfast.cli;

import dev.holdfast.commands.MountViews;
import dev.holdfast.error.StorageException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code holdfast umount}. */
@Command(
    name = "umount",
    description = "Unmount a volume, disconnect it, and detach it if mounting attached it.")
final class UmountCommand implements Callable<Integer> {
  private final Invocation invocation;

  @Mixin private WaitOptions wait;

  @Parameters(paramLabel = "NAME|DIR", description = "The volume, or where it is mounted.")
  private String what;

  UmountCommand(Invocation invocation) {
    this.invocation = invocation;
  }

  @Override
  public Integer call() throws StorageException {
    return invocation.print(
        store ->
            new MountViews()
                .unmounted(invocation.mounts(store).unmount(what, wait.of(invocation))));
  }
}
