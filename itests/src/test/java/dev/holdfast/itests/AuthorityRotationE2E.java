package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two nodes whose frontends are closed, and a client of libnbd that writes and verifies by one
 * connection while the authority of the cluster is replaced. Long form by {@code
 * -Dholdfast.soak=true}.
 */
class AuthorityRotationE2E {
  private static final int ROTATIONS = Boolean.getBoolean("holdfast.soak") ? 50 : 2;
  private static final Duration FOLLOWED = Duration.ofMinutes(3);

  @TempDir static Path directory;
  private static RunningNode node;
  private static RunningNode second;

  @BeforeAll
  static void start() {
    assumeTrue("root".equals(System.getProperty("user.name")), "mounting needs root");
    node = RunningNode.of(directory.resolve("data")).closed();
    node.up().succeeded();
    second = RunningNode.of(directory.resolve("other/data")).closed();
    second
        .up(
            "--join",
            "127.0.0.1:" + node.ports().api(),
            "--token",
            node.ok("node", "token"),
            "--name",
            "node-2")
        .succeeded();
  }

  @AfterAll
  static void stop() {
    for (RunningNode each : new RunningNode[] {second, node}) {
      if (each != null) {
        each.close();
      }
    }
  }

  private static String status() {
    return node.ok("cluster", "authority", "status", "-o", "json");
  }

  private static void awaitPhase(String phase) {
    Await.until(
        "the rotation is " + phase,
        FOLLOWED,
        () -> status().contains("\"phase\" : \"" + phase + "\""));
  }

  private static String credentials(URI uri, String client) {
    Path folder = directory.resolve(client);
    node.ok("client", "add", client, "--volume", "steady", "--directory", folder.toString());
    return uri.toString().replace("nbd://", "nbds://") + "?tls-certificates=" + folder;
  }

  private static int info(String uri) {
    return Command.of("nbdinfo", uri).run().exitCode();
  }

  /** The second node reaches the volume by its certificate, and the store by its trust. */
  private static void secondNodeWorks(String name) throws IOException {
    Path where = directory.resolve("mounted");
    second.ok("mount", "shared", where.toString());
    try {
      Files.writeString(where.resolve(name), name);
    } finally {
      second.ok("umount", "shared");
    }
    assertThat(second.ok("node", "list")).contains("node-1", "node-2");
  }

  @Test
  void rotationsBreakNoConnectionAndTheOldAuthorityEnds() throws Exception {
    URI uri = node.volume("steady", "64Mi", 1);
    node.ok("volume", "create", "shared", "--size", "64Mi", "--replicas", "1");
    node.ok("volume", "attach", "shared", "--node", "node-1");
    Path errors = directory.resolve("steady-errors");
    String former = credentials(uri, "client-0");
    try (SecuredWriter steady = SecuredWriter.start(former, errors)) {
      for (int i = 1; i <= ROTATIONS; i++) {
        Await.until(
            "both nodes have reported",
            FOLLOWED,
            () -> node.run("cluster", "authority", "rotate").exitCode() == 0);
        awaitPhase("ready");
        assertThat(info(former)).as("it knows only the old authority").isZero();
        String next = credentials(uri, "client-" + i);
        assertThat(info(next)).isZero();
        secondNodeWorks("ready-" + i);

        assertThat(node.ok("cluster", "authority", "finish")).contains("No other one is trusted");
        String refused = former;
        Await.until(
            "a client that knows only the old authority does not trust the node",
            FOLLOWED,
            () -> info(refused) != 0);
        assertThat(info(next)).isZero();
        secondNodeWorks("finished-" + i);
        assertThat(steady.works()).as("after rotation %s", i).isTrue();
        former = next;
      }
      assertThat(steady.stop()).isPositive();
    }
    node.ok("health");
    assertThat(node.ok("audit", "--verb", "disconnect")).doesNotContain("its session ended");
  }
}
