package dev.holdfast.shell.internal;

import dev.holdfast.client.Disks;
import dev.holdfast.commands.Output;
import dev.holdfast.error.StorageException;
import dev.holdfast.store.ResourceStore;
import java.nio.file.Path;
import java.util.List;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Service;

/** {@code holdfast:disk-add}. */
@Service
@Command(
    scope = "holdfast",
    name = "disk-add",
    description = "Let a node keep replicas in a directory.")
public final class DiskAdd extends WaitingCommand {
  @Argument(name = "path", description = "The directory, absolute.", required = true)
  private String path;

  @Option(name = "--node", description = "The node that has it. Default: the only node.")
  @Completion(NodeNames.class)
  private String node;

  @Option(name = "--name", description = "The disk's name on the node. Default: from the path.")
  private String id;

  @Option(name = "--tags", description = "Tags that volumes may ask for.", multiValued = true)
  private List<String> tags = List.of();

  @Option(name = "--create", description = "Have the node make the directory if it is missing.")
  private boolean create;

  @Override
  Output run(ResourceStore resources) throws StorageException {
    Disks.Request request = new Disks.Request(Path.of(path), given(node), given(id), tags, create);
    return nodeViews().diskAdded(new Disks(resources).add(request, waiting()));
  }
}
