package dev.holdfast.cli;

import dev.holdfast.client.Disks;
import dev.holdfast.commands.NodeViews;
import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code holdfast disk …}. */
@Command(
    name = "disk",
    description = "Add, remove and show the disks that replicas are kept on.",
    synopsisSubcommandLabel = "COMMAND")
final class DiskCommand extends CommandGroup {
  DiskCommand(Invocation invocation) {
    super(invocation);
  }

  @Command(description = "Let a node keep replicas in a directory.")
  int add(
      @Parameters(paramLabel = "PATH", description = "The directory on the node, absolute.")
          Path path,
      @Option(
              names = "--node",
              paramLabel = "NODE",
              description = "The node that has it. Default: the only node.")
          String node,
      @Option(
              names = "--name",
              paramLabel = "ID",
              description = "The disk's name on the node. Default: from the path.")
          String name,
      @Option(
              names = "--tags",
              paramLabel = "TAG",
              split = ",",
              description = "Tags that volumes may ask for, separated by commas.")
          List<String> tags,
      @Option(
              names = "--create",
              description = "Have the node make the directory if it is missing.")
          boolean create,
      @Mixin WaitOptions wait)
      throws StorageException {
    Disks.Request request =
        new Disks.Request(
            path,
            Optional.ofNullable(node),
            Optional.ofNullable(name),
            tags == null ? List.of() : tags,
            create);
    return invocation()
        .print(store -> views().diskAdded(new Disks(store).add(request, wait.of(invocation()))));
  }

  @Command(description = "Take a disk without replicas away; its directory stays.")
  int remove(
      @Parameters(paramLabel = "ID", description = "The disk's name.") String id,
      @Option(
              names = "--node",
              paramLabel = "NODE",
              description = "The node that has it. Default: the only node with such a disk.")
          String node)
      throws StorageException {
    return invocation()
        .print(
            store -> views().diskRemoved(new Disks(store).remove(id, Optional.ofNullable(node))));
  }

  @Command(description = "Show all disks.")
  int list() throws StorageException {
    return invocation().print(store -> views().disks(new Disks(store).list()));
  }

  private NodeViews views() {
    return new NodeViews(invocation().clock());
  }
}
