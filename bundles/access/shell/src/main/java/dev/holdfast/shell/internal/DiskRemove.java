package dev.holdfast.shell.internal;

import dev.holdfast.client.Disks;
import dev.holdfast.commands.Output;
import dev.holdfast.error.StorageException;
import dev.holdfast.store.ResourceStore;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Service;

/** {@code holdfast:disk-remove}. */
@Service
@Command(
    scope = "holdfast",
    name = "disk-remove",
    description = "Take a disk without replicas away; its directory stays.")
public final class DiskRemove extends StoreCommand {
  @Argument(name = "id", description = "The disk's name.", required = true)
  @Completion(DiskNames.class)
  private String id;

  @Option(
      name = "--node",
      description = "The node that has it. Default: the only node with such a disk.")
  @Completion(NodeNames.class)
  private String node;

  @Override
  Output run(ResourceStore resources) throws StorageException {
    return nodeViews().diskRemoved(new Disks(resources).remove(id, given(node)));
  }
}
