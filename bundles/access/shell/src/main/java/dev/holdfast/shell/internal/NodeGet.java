package dev.holdfast.shell.internal;

import dev.holdfast.client.NodeCommands;
import dev.holdfast.commands.MemberViews;
import dev.holdfast.commands.Output;
import dev.holdfast.error.StorageException;
import dev.holdfast.store.ResourceStore;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.lifecycle.Service;

/** {@code holdfast:node-get}. */
@Service
@Command(scope = "holdfast", name = "node-get", description = "Show one node.")
public final class NodeGet extends StoreCommand {
  @Argument(name = "name", description = "The node.", required = true)
  @Completion(NodeNames.class)
  private String name;

  @Override
  Output run(ResourceStore resources) throws StorageException {
    return new MemberViews().node(new NodeCommands(resources).get(name));
  }
}
