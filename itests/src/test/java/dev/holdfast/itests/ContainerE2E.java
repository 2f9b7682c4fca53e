package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The container and the command that starts it. */
class ContainerE2E {
  @TempDir static Path data;
  private static RunningNode node;

  @BeforeAll
  static void start() {
    node = RunningNode.unprepared(data.resolve("a node")).withJava("");
    node.up().succeeded();
  }

  @AfterAll
  static void stop() {
    node.close();
  }

  @Test
  void everyBundleIsActive() {
    String bundles = node.ok("shell", "bundle:list -t 0 -s --no-format");

    assertThat(bundles.lines().filter(line -> line.contains("dev.holdfast."))).isNotEmpty();
    assertThat(
            bundles
                .lines()
                .filter(line -> line.matches("^\\d+\\s.*"))
                .filter(line -> !line.contains("Active") && !line.contains("Resolved")))
        .as("unsatisfied: %s", node.ok("shell", "bundle:diag"))
        .isEmpty();
  }

  @Test
  void noReferenceIsUnsatisfied() {
    assertThat(node.ok("shell", "bundle:diag")).doesNotContainIgnoringCase("unsatisfied");
  }

  @Test
  void startingLogsNoErrors() {
    assertThat(node.log().lines().filter(line -> line.contains(" ERROR "))).isEmpty();
  }

  @Test
  void secondUpSaysThatItRunsAlready() {
    long before = node.pid();

    assertThat(node.up().succeeded().out()).contains("runs already");
    assertThat(node.pid()).isEqualTo(before);
  }

  @Test
  void statusNamesPidAndPorts() throws IOException {
    JsonNode status = new ObjectMapper().readTree(node.ok("status", "-o", "json"));

    assertThat(status.get("pid").asLong()).isEqualTo(node.pid());
    assertThat(status.at("/nodes/0/name").asText()).isEqualTo("node-1");
    assertThat(status.at("/nodes/0/ports/nbd").asInt()).isEqualTo(node.ports().nbd());
    assertThat(status.at("/nodes/0/ports/iscsi").asInt()).isEqualTo(node.ports().iscsi());
    assertThat(status.at("/nodes/0/ports/nvmeof").asInt()).isEqualTo(node.ports().nvmeof());
    assertThat(status.at("/nodes/0/ports/api").asInt()).isEqualTo(node.ports().api());
  }

  @Test
  void takenPortIsNamedWithItsOption(@TempDir Path other) throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Ports ports = Ports.free();
      Command.Result result =
          Command.of(
                  Path.of(System.getProperty("holdfast.distribution"), "holdfast").toString(),
                  "up",
                  "--data",
                  other.toString(),
                  "--api-port",
                  String.valueOf(ports.api()),
                  "--ssh-port",
                  String.valueOf(ports.ssh()),
                  "--rpc-port",
                  String.valueOf(ports.rpc()),
                  "--replica-port",
                  String.valueOf(ports.replica()),
                  "--nbd-port",
                  String.valueOf(taken.getLocalPort()))
              .run()
              .failed();

      assertThat(result.err())
          .contains(String.valueOf(taken.getLocalPort()))
          .contains("--nbd-port");
    }
  }

  @Test
  void wrongUseExitsWithTwo() {
    assertThat(node.run("up", "--no-such-option").exitCode()).isEqualTo(2);
    assertThat(node.run("volume", "create").exitCode()).isEqualTo(2);
    assertThat(node.run("no-such-command").exitCode()).isEqualTo(2);
  }

  @Test
  void karafShellHasTheCommands() {
    assertThat(node.ok("shell", "holdfast:node-list")).contains("node-1");
  }

  @Test
  void kubectlReadsTheNode() {
    String kubeconfig = node.ok("kubeconfig");

    String nodes =
        Command.of("kubectl", "--kubeconfig", kubeconfig, "get", "nodes.holdfast.dev")
            .run()
            .succeeded()
            .out();

    assertThat(nodes).startsWith("NAME").contains("node-1");
  }
}
