package dev.holdfast.shell.internal;

import dev.holdfast.commands.MountViews;
import dev.holdfast.commands.Output;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.Filesystem;
import dev.holdfast.mounts.MountRequest;
import dev.holdfast.store.ResourceStore;
import java.nio.file.Path;
import java.util.Optional;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.completers.FileCompleter;
import org.apache.karaf.shell.support.completers.StringsCompleter;

/** {@code holdfast:mount}. */
@Service
@Command(
    scope = "holdfast",
    name = "mount",
    description = "Mount a volume on this host; without arguments, show what is mounted.")
public final class Mount extends HostCommand {
  @Argument(index = 0, name = "name", description = "The volume's name.")
  @Completion(VolumeNames.class)
  private String name;

  @Argument(index = 1, name = "directory", description = "Where to; made when it is missing.")
  @Completion(FileCompleter.class)
  private String directory;

  @Option(name = "--fs", description = "The filesystem to make on an empty volume: ext4 or xfs.")
  @Completion(
      value = StringsCompleter.class,
      values = {"ext4", "xfs"})
  private String filesystem;

  @Option(name = "--node", description = "The node to attach it to.")
  @Completion(NodeNames.class)
  private String node;

  @Option(
      name = "--persist",
      description = "Mount it again after a reboot, by 'holdfast mount --restore'.")
  private boolean persistent;

  @Override
  Output run(ResourceStore resources) throws StorageException {
    MountViews views = new MountViews();
    if (name == null) {
      return views.mounts(mounts(resources).list());
    }
    if (directory == null) {
      throw new StorageException(ErrorCode.INVALID, "the directory is missing");
    }
    MountRequest request =
        new MountRequest(name, Path.of(directory), wanted(), given(node), persistent);
    return views.mounted(mounts(resources).mount(request, waiting()));
  }

  private Optional<Filesystem> wanted() throws StorageException {
    if (filesystem != null && Filesystem.named(filesystem).isEmpty()) {
      throw new StorageException(ErrorCode.INVALID, "--fs must be one of " + Filesystem.names());
    }
    return given(filesystem).flatMap(Filesystem::named);
  }
}
