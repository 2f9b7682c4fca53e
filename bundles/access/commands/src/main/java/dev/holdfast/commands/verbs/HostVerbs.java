package dev.holdfast.commands.verbs;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.holdfast.client.NodeCommands;
import dev.holdfast.client.StatusReport;
import dev.holdfast.commands.CheckViews;
import dev.holdfast.commands.HealthViews;
import dev.holdfast.commands.NodeViews;
import dev.holdfast.commands.Output;
import dev.holdfast.commands.check.CheckResult;
import dev.holdfast.commands.check.HostCheck;
import dev.holdfast.error.StorageException;
import dev.holdfast.health.HealthFinding;
import dev.holdfast.health.HealthSeverity;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;

/**
 * The verbs {@code status}, {@code health}, {@code check} and {@code kubeconfig}, for this host,
 * its node and its cluster.
 */
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

  static final Verb HEALTH =
      new Verb(
          "health",
          List.of(),
          List.of(),
          """
          Show the problems of the cluster and their remedies.
          Fails when data or a part of the cluster cannot be used.""",
          HostVerbs::health);

  static final Verb CHECK =
      new Verb(
          "check",
          List.of(),
          List.of(),
          """
          Check what a node needs of this host, and the health of a node that runs.
          Fails when a node cannot start or serve. It changes nothing.""",
          HostVerbs::check);

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

  private static Output health(VerbCall call) throws StorageException {
    List<HealthFinding> findings = call.context().health();
    if (findings.stream().anyMatch(finding -> finding.severity() == HealthSeverity.ERROR)) {
      call.fail();
    }
    return new HealthViews(call.context().clock()).findings(findings);
  }

  private static Output check(VerbCall call) throws StorageException {
    VerbContext context = call.context();
    List<CheckResult> results =
        new HostCheck(Path.of("/"), context.data()).run(context.pid().isPresent(), context::health);
    if (results.stream().anyMatch(result -> result.outcome() == CheckResult.Outcome.ERROR)) {
      call.fail();
    }
    return new CheckViews().results(results);
  }
}
