package dev.holdfast.shell.internal;

import dev.holdfast.commands.MountViews;
import dev.holdfast.commands.Output;
import dev.holdfast.error.StorageException;
import dev.holdfast.store.ResourceStore;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.lifecycle.Service;

/** {@code holdfast:umount}. */
@Service
@Command(
    scope = "holdfast",
    name = "umount",
    description = "Unmount a volume, disconnect it, and detach it if mounting attached it.")
public final class Umount extends HostCommand {
  @Argument(name = "volume", description = "The volume, or where it is mounted.", required = true)
  @Completion(VolumeNames.class)
  private String what;

  @Override
  Output run(ResourceStore resources) throws StorageException {
    return new MountViews().unmounted(mounts(resources).unmount(what, waiting()));
  }
}
