package dev.holdfast.commands.verbs;

import dev.holdfast.client.NodeCommands;
import dev.holdfast.client.NodeMembers;
import dev.holdfast.client.Scheduling;
import dev.holdfast.commands.MemberViews;
import dev.holdfast.commands.NodeViews;
import dev.holdfast.commands.Output;
import dev.holdfast.commands.SchedulingViews;
import dev.holdfast.commands.verbs.VerbOption.Presence;
import dev.holdfast.commands.verbs.VerbOption.Repetition;
import dev.holdfast.error.StorageException;
import dev.holdfast.store.remote.MemberDirectory;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The verbs {@code node …}. */
final class NodeVerbs {
  private static final VerbArgument<String> NAMES =
      VerbArgument.of("NAME", String.class, Candidates.NODES, "The nodes.")
          .times(1, Integer.MAX_VALUE);
  private static final VerbOption<Boolean> FORCE =
      VerbOption.flag(
          "--force", "Remove it although it has replicas or attached volumes, which are lost.");
  private static final VerbOption<Long> TTL =
      VerbOption.of("--ttl", "SECONDS", Long.class, "Validity in seconds. Default: 3600.")
          .or("3600");

  private static final VerbArgument<String> SERVER =
      VerbArgument.of(
          "ADDRESS[:PORT]",
          String.class,
          Candidates.NONE,
          "Address of the API of the node with the store.");
  private static final VerbOption<String> TOKEN =
      VerbOption.of(
              "--token",
              "<token>",
              String.class,
              "From 'holdfast node token'. Default: $HOLDFAST_JOIN_TOKEN.")
          .given(Presence.REQUIRED)
          .or(System.getenv("HOLDFAST_JOIN_TOKEN"));
  private static final VerbOption<String> OWN_NAME =
      VerbOption.of("--name", "<name>", String.class, "The name of this node.")
          .given(Presence.REQUIRED);
  private static final VerbOption<String> ADDRESSES =
      VerbOption.of(
              "--address",
              "<addresses>",
              String.class,
              "Addresses and host names by which other nodes reach it.")
          .times(Repetition.LIST);

  private static final VerbOption<Integer> DRAIN_TIMEOUT =
      VerbOption.seconds("--timeout", 3600, "Longest time to wait.");

  static final List<Verb> ALL =
      List.of(
          new Verb(
              "node list",
              List.of(),
              List.of(),
              "Show all nodes.",
              call -> views(call).nodes(nodes(call).list())),
          new Verb(
              "node get",
              List.of(Common.NODE_NAME),
              List.of(),
              "Show one node.",
              call -> new MemberViews().node(nodes(call).get(call.get(Common.NODE_NAME)))),
          new Verb(
              "node wait",
              List.of(NAMES),
              List.of(Common.TIMEOUT),
              "Wait until nodes are known and ready, and show them.",
              call -> views(call).nodes(nodes(call).awaitReady(call.all(NAMES), call.waiting()))),
          new Verb(
              "node add",
              List.of(),
              List.of(),
              "Print the command by which another machine joins, with a new token.",
              NodeVerbs::add),
          new Verb(
              "node remove",
              List.of(Common.NODE_NAME),
              List.of(FORCE, Common.CONFIRM),
              """
              Remove a node from the cluster; its requests are rejected afterwards.
              Refused while it has replicas, or volumes that are attached there.""",
              NodeVerbs::remove),
          new Verb(
              "node token",
              List.of(),
              List.of(TTL),
              "Make a token by which one node can join, and print it.",
              call ->
                  new MemberViews()
                      .token(call.context().cluster().newToken(Duration.ofSeconds(call.get(TTL))))),
          new Verb(
              "node join",
              List.of(SERVER),
              List.of(TOKEN, OWN_NAME, ADDRESSES),
              """
              Make this data directory that of a node of a cluster.
              'holdfast up --join' does this and starts the node.""",
              NodeVerbs::join),
          new Verb(
              "node renew",
              List.of(),
              List.of(OWN_NAME, ADDRESSES),
              """
              Get a new certificate for this node, with the present names unless others are given.
              The running node uses it from the next connection on.""",
              NodeVerbs::renew),
          new Verb(
              "node cordon",
              List.of(Common.NODE_NAME),
              List.of(),
              "Place no new replicas on a node; its present replicas stay.",
              call -> scheduled().cordoned(scheduling(call).cordon(call.get(Common.NODE_NAME)))),
          new Verb(
              "node uncordon",
              List.of(Common.NODE_NAME),
              List.of(),
              "Permit new replicas on a node again, also after 'drain'.",
              call ->
                  scheduled().uncordoned(scheduling(call).uncordon(call.get(Common.NODE_NAME)))),
          new Verb(
              "node drain",
              List.of(Common.NODE_NAME),
              List.of(Common.NO_WAIT, DRAIN_TIMEOUT),
              """
              Move all replicas of a node to other nodes, and wait until none is left.
              Each one is replaced before it goes. 'node uncordon' ends it.""",
              call ->
                  scheduled()
                      .drained(
                          scheduling(call)
                              .drain(
                                  call.get(Common.NODE_NAME),
                                  call.waiting(!call.has(Common.NO_WAIT), DRAIN_TIMEOUT)))));

  private NodeVerbs() {}

  private static Output add(VerbCall call) throws StorageException {
    VerbContext context = call.context();
    return new MemberViews()
        .joinCommand(context.cluster().newToken(Duration.ofHours(1)), context.server());
  }

  private static Output remove(VerbCall call) throws StorageException {
    VerbContext context = call.context();
    String name = call.get(Common.NODE_NAME);
    if (call.has(FORCE)) {
      Common.requireConfirmation(call, name, "the replicas of node " + name + " are lost");
    }
    return new MemberViews()
        .removed(new NodeMembers(context.store(), context.cluster()).remove(name, call.has(FORCE)));
  }

  private static Output join(VerbCall call) throws StorageException {
    String name = call.get(OWN_NAME);
    URI cluster =
        new MemberDirectory(call.context().data())
            .join(call.get(SERVER), call.get(TOKEN), name, call.all(ADDRESSES));
    return new MemberViews().joined(name, cluster);
  }

  private static Output renew(VerbCall call) throws StorageException {
    String name = call.get(OWN_NAME);
    Optional<URI> cluster =
        new MemberDirectory(call.context().data()).renew(name, call.all(ADDRESSES));
    return new MemberViews().renewed(name, cluster);
  }

  private static NodeCommands nodes(VerbCall call) throws StorageException {
    return new NodeCommands(call.context().store());
  }

  private static NodeViews views(VerbCall call) {
    return new NodeViews(call.context().clock());
  }

  private static Scheduling scheduling(VerbCall call) throws StorageException {
    return new Scheduling(call.context().store());
  }

  private static SchedulingViews scheduled() {
    return new SchedulingViews();
  }
}
