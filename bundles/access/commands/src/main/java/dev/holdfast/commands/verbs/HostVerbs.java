package dev.holdfast.commands.verbs;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.holdfast.client.NodeCommands;
import dev.holdfast.client.StatusReport;
import dev.holdfast.commands.NodeViews;
import dev.holdfast.commands.Output;
import dev.holdfast.error.StorageException;
import java.util.List;
import java.util.OptionalLong;

/** {@code status} and {@code kubeconfig}: the node on this host. */
final class HostVerbs {
  static final Verb STATUS =
      new Verb(
          "status",
          List.of(),
          List.of(),
          "Show whether Holdfast runs here, and its nodes. Fails when it does not run.",
          HostVerbs::status);

  static final Verb KUBECONFIG =
      new Verb(
          "kubeconfig",
          List.of(),
          List.of(),
          "Print the path of the kubeconfig: kubectl --kubeconfig \"$(holdfast kubeconfig)\"",
          HostVerbs::kubeconfig);

  private HostVerbs() {}

  private static Output status(VerbCall call) throws StorageException {
    OptionalLong pid = call.context().pid();
    NodeViews views = new NodeViews(call.context().clock());
    if (pid.isEmpty()) {
      call.fail();
      return views.status(new StatusReport(pid, List.of()));
    }
    String server = call.context().server();
    int port = Integer.parseInt(server.substring(server.lastIndexOf(':') + 1));
    return views.status(new NodeCommands(call.context().store()).status(pid, port));
  }

  private static Output kubeconfig(VerbCall call) {
    String path = call.context().data().resolve("kubeconfig").toString();
    return new Output(() -> path, () -> JsonNodeFactory.instance.objectNode().put("path", path));
  }
}
