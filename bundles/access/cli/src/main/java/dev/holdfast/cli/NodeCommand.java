package dev.holdfast.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.holdfast.client.NodeCommands;
import dev.holdfast.client.NodeMembers;
import dev.holdfast.commands.MemberViews;
import dev.holdfast.commands.NodeViews;
import dev.holdfast.commands.Output;
import dev.holdfast.error.StorageException;
import dev.holdfast.store.remote.MemberDirectory;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code holdfast node …}. */
@Command(
    name = "node",
    description = "Show nodes, let them join the cluster, take them away.",
    synopsisSubcommandLabel = "COMMAND")
final class NodeCommand extends CommandGroup {
  NodeCommand(Invocation invocation) {
    super(invocation);
  }

  @Command(description = "Show all nodes.")
  int list() throws StorageException {
    return invocation().print(store -> views().nodes(new NodeCommands(store).list()));
  }

  @Command(description = "Show one node.")
  int get(@Parameters(paramLabel = "NAME", description = "The node.") String name)
      throws StorageException {
    return invocation().print(store -> new MemberViews().node(new NodeCommands(store).get(name)));
  }

  @Command(name = "wait", description = "Wait until nodes are known and ready, and show them.")
  int awaitReady(
      @Parameters(paramLabel = "NAME", arity = "1..*", description = "The nodes.")
          List<String> names,
      @Option(
              names = "--timeout",
              paramLabel = "SECONDS",
              defaultValue = "60",
              description = "How long to wait at most. Default: ${DEFAULT-VALUE}.")
          int seconds)
      throws StorageException {
    return invocation()
        .print(
            store ->
                views()
                    .nodes(
                        new NodeCommands(store)
                            .awaitReady(names, invocation().waiting(true, seconds))));
  }

  @Command(description = "Print the command by which another machine joins, with a new token.")
  int add() throws StorageException {
    return invocation()
        .printOf(
            session ->
                new MemberViews()
                    .joinCommand(
                        session.cluster().newToken(Duration.ofHours(1)), session.server()));
  }

  @Command(
      description = {
        "Take a node out of the cluster; its requests are refused from then on.",
        "Refused while it has replicas, or volumes that are attached there."
      })
  int remove(
      @Parameters(paramLabel = "NAME", description = "The node.") String name,
      @Option(names = "--force", description = "Lose what it has.") boolean force)
      throws StorageException {
    return invocation()
        .printOf(
            session ->
                new MemberViews()
                    .removed(
                        new NodeMembers(session.store(), session.cluster()).remove(name, force)));
  }

  @Command(description = "Make a token by which one node can join, and print it.")
  int token(
      @Option(
              names = "--ttl",
              paramLabel = "SECONDS",
              defaultValue = "3600",
              description = "For how long it can be used. Default: ${DEFAULT-VALUE}.")
          long seconds)
      throws StorageException {
    return invocation()
        .printOf(
            session ->
                new MemberViews().token(session.cluster().newToken(Duration.ofSeconds(seconds))));
  }

  @Command(
      description = {
        "Make this data directory that of a node of a cluster.",
        "'holdfast up --join' does this and starts the node."
      })
  int join(
      @Parameters(
              paramLabel = "ADDRESS[:PORT]",
              description = "The API of the node with the store.")
          String server,
      @Option(
              names = "--token",
              required = true,
              defaultValue = "${env:HOLDFAST_JOIN_TOKEN}",
              description = "From 'holdfast node token'. Default: $HOLDFAST_JOIN_TOKEN.")
          String token,
      @Option(names = "--name", required = true, description = "The name of this node.")
          String name,
      @Option(
              names = "--address",
              split = ",",
              description = "Addresses and host names that others reach it by.")
          List<String> addresses)
      throws StorageException {
    URI cluster = membership().join(server, token, name, addresses == null ? List.of() : addresses);
    print(name, cluster, "joined the cluster of ");
    return CommandLine.ExitCode.OK;
  }

  @Command(
      description = {
        "Get a new certificate for this node, which has joined a cluster.",
        "The running node uses it from the next connection on."
      })
  int renew(
      @Option(names = "--name", required = true, description = "The name of this node.")
          String name,
      @Option(
              names = "--address",
              split = ",",
              description = "Addresses and host names that others reach it by.")
          List<String> addresses)
      throws StorageException {
    URI cluster = membership().renew(name, addresses == null ? List.of() : addresses);
    print(name, cluster, "has a new certificate from ");
    return CommandLine.ExitCode.OK;
  }

  private void print(String node, URI cluster, String happened) {
    invocation()
        .print(
            new Output(
                () -> "node " + node + " " + happened + cluster,
                () ->
                    JsonNodeFactory.instance
                        .objectNode()
                        .put("node", node)
                        .put("cluster", cluster.toString())));
  }

  private MemberDirectory membership() {
    return new MemberDirectory(invocation().dataDirectory().path());
  }

  private NodeViews views() {
    return new NodeViews(invocation().clock());
  }
}
