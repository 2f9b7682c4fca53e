package dev.holdfast.shell.internal;

import dev.holdfast.client.NodeCommands;
import dev.holdfast.commands.Output;
import dev.holdfast.error.StorageException;
import dev.holdfast.store.ResourceStore;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.lifecycle.Service;

/** {@code holdfast:node-list}. */
@Service
@Command(scope = "holdfast", name = "node-list", description = "Show all nodes.")
public final class NodeList extends StoreCommand {

  @Override
  Output run(ResourceStore resources) throws StorageException {
    return nodeViews().nodes(new NodeCommands(resources).list());
  }
}
