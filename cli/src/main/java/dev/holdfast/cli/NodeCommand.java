package dev.holdfast.cli;

import dev.holdfast.commands.NodeViews;
import dev.holdfast.commands.Nodes;
import dev.holdfast.error.StorageException;
import picocli.CommandLine.Command;

/** {@code holdfast node …}. */
@Command(name = "node", description = "Show nodes.", synopsisSubcommandLabel = "COMMAND")
final class NodeCommand extends CommandGroup {
  NodeCommand(Invocation invocation) {
    super(invocation);
  }

  @Command(description = "Show all nodes.")
  int list() throws StorageException {
    return invocation()
        .print(store -> new NodeViews(invocation().clock()).nodes(new Nodes(store).list()));
  }
}
