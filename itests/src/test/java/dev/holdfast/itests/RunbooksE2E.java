package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/** Runbooks for clusters of several nodes. In an order, because the last one loses a node. */
@Tag("soak")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class RunbooksE2E {
  private static final Path DISTRIBUTION =
      Path.of(System.getProperty("holdfast.distribution")).normalize();
  private static final int NODES = 3;
  private static final int BYTES = 64 << 20;

  @TempDir static Path directory;
  private static Cluster cluster;
  private static Path content;

  @BeforeAll
  static void start() throws IOException {
    cluster = Cluster.start(directory.resolve("cluster"), NODES);
    byte[] bytes = new byte[BYTES];
    new Random(11).nextBytes(bytes);
    content = Files.write(directory.resolve("content"), bytes);
    cluster.ok("volume", "create", "films", "--size", "64Mi", "--replicas", "2");
    cluster.ok("volume", "attach", "films");
    Command.of("nbdcopy", "--flush", content.toString(), endpoint()).run().succeeded();
  }

  @AfterAll
  static void stop() {
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  @Order(1)
  void allNodesWereOff() throws Exception {
    for (int node = 1; node <= NODES; node++) {
      cluster.kill(node);
    }

    for (int node = NODES; node >= 1; node--) {
      runbook("all-nodes-off.md", Map.of("DIR", cluster.data(node).toString())).play("Steps");
    }

    runbook("all-nodes-off.md", Map.of("NODES", "node-1 node-2 node-3")).play("Sign of success");
    assertThatContentIsThere();
  }

  @Test
  @Order(2)
  void certificateExpired() throws Exception {
    int node = nodeWithReplica();
    expireCertificate(node);
    Runbook runbook =
        runbook(
            "certificate-expired.md",
            Map.of(
                "NODE",
                "node-" + node,
                "DATA",
                cluster.data(node).toString(),
                "DIR",
                cluster.data(1).toString()));

    assertThat(runbook.play("Symptom").get(0)).contains("node-" + node);
    assertThat(isValid(node)).isFalse();
    runbook.play("Steps");
    runbook.play("Sign of success");
    assertThat(isValid(node)).isTrue();

    cluster.kill(node);
    expireCertificate(node);
    cluster.up(node).succeeded();
    Await.until("the node renews its certificate", Duration.ofMinutes(3), () -> isValid(node));
    awaitHealthyVolume();
    assertThatContentIsThere();
  }

  /** Replaces the certificate of a node by one of the same authority and key that has ended. */
  private static void expireCertificate(int node) throws IOException {
    Path tls = cluster.data(node).resolve("tls");
    Path request = directory.resolve("request");
    Path extensions = directory.resolve("extensions");
    Files.writeString(
        extensions,
        "subjectAltName=DNS:localhost,IP:127.0.0.1,DNS:node-"
            + node
            + ",IP:"
            + cluster.address(node)
            + "\nextendedKeyUsage=serverAuth,clientAuth\n");
    String subject = "/O=holdfast:nodes/CN=node-" + node;
    openssl("req", "-new", "-key", tls.resolve("server.key"), "-subj", subject, "-out", request);
    Path authority = cluster.data(1).resolve("tls");
    openssl(
        "x509",
        "-req",
        "-in",
        request,
        "-CA",
        authority.resolve("ca.crt"),
        "-CAkey",
        authority.resolve("ca.key"),
        "-days",
        "-1",
        "-extfile",
        extensions,
        "-out",
        tls.resolve("server.crt"));
  }

  private static void openssl(Object... words) {
    assertThat(tryOpenssl(words).exitCode()).isZero();
  }

  private static Command.Result tryOpenssl(Object... words) {
    List<String> all = new ArrayList<>(List.of("openssl"));
    Stream.of(words).map(Object::toString).forEach(all::add);
    return Command.of(all).run();
  }

  private static boolean isValid(int node) {
    Path certificate = cluster.data(node).resolve("tls/server.crt");
    return tryOpenssl("x509", "-in", certificate, "-noout", "-checkend", "864000").exitCode() == 0;
  }

  private static void awaitHealthyVolume() {
    Await.until(
        "the volume is healthy again",
        Duration.ofMinutes(3),
        () ->
            cluster
                .api()
                .get("volumes", "films")
                .at("/status/robustness")
                .asText()
                .equals("healthy"));
  }

  @Test
  @Order(3)
  void nodeWasStolen() throws Exception {
    int node = nodeWithReplica();
    KeptCertificate kept = KeptCertificate.of(cluster.data(node), directory.resolve("stolen"));
    int rpc = cluster.json("node", "get", "node-1").at("/status/ports/rpc").asInt();
    assertThat(kept.isAdmitted(cluster.address(1), rpc)).isTrue();
    Path former = directory.resolve("former");
    cluster.ok("client", "add", "hv-07", "--volume", "films", "--directory", former.toString());
    String token = cluster.ok("token", "create", "ci", "--role", "view");
    Path fresh = directory.resolve("fresh");
    Runbook runbook =
        runbook(
            "node-stolen.md",
            Map.of(
                "DIR",
                cluster.data(1).toString(),
                "NODE",
                "node-" + node,
                "CLIENT",
                "hv-07",
                "FILES",
                fresh.toString(),
                "TOKEN",
                "ci"));

    assertThat(String.join("\n", runbook.play("Symptom"))).contains("node-" + node, "films");
    assertThat(String.join("\n", runbook.play("Steps"))).doesNotContain(token.strip());

    assertThat(kept.isAdmitted(cluster.address(1), rpc)).isFalse();
    assertThat(cluster.run(cluster.data(node), "volume", "list").failed().err())
        .contains("Unauthorized");
    assertThat(fresh.resolve("client-cert.pem")).exists();
    awaitHealthyVolume();
    assertThat(String.join("\n", runbook.play("Sign of success")))
        .contains("films")
        .doesNotContain("node-" + node + " ");
    assertThatContentIsThere();
    cluster.kill(node);
  }

  @Test
  @Order(4)
  void nodeWasLost() throws Exception {
    int lost = nodeWithReplica();
    cluster.kill(lost);
    Command.of("rm", "-rf", cluster.data(lost).toString()).run().succeeded();
    Path replacement = directory.resolve("replacement");
    Runbook runbook =
        runbook(
            "node-lost.md",
            Map.of(
                "NODE",
                "node-" + lost,
                "NAME",
                "node-new",
                "STORE",
                cluster.address(1),
                "ADDRESS",
                cluster.address(9),
                "NEW",
                replacement.toString()));

    try {
      runbook.play("Symptom");
      runbook.play("Steps");

      assertThat(String.join("\n", runbook.play("Sign of success"))).contains("node-new", "films");
      awaitHealthyVolume();
      assertThatContentIsThere();
    } finally {
      Command.Result unused =
          Command.of(
                  DISTRIBUTION.resolve("holdfast").toString(),
                  "down",
                  "--data",
                  replacement.toString())
              .run();
    }
  }

  /** Returns a ready node that has a replica and is not the one with the store. */
  private static int nodeWithReplica() {
    for (var replica : cluster.api().items("replicas")) {
      String name = replica.at("/spec/nodeID").asText();
      if (!name.isEmpty() && !name.equals("node-1")) {
        int node = Integer.parseInt(name.substring("node-".length()));
        if (cluster.readiness(node).equals("True")) {
          return node;
        }
      }
    }
    throw new AssertionError("no replica is on a ready node without the store");
  }

  private static void assertThatContentIsThere() {
    Path copied = directory.resolve("copied");
    Command.of("nbdcopy", endpoint(), copied.toString()).run().succeeded();
    assertThat(copied).hasSameBinaryContentAs(content);
  }

  private static String endpoint() {
    return cluster.ok("volume", "endpoint", "films").strip();
  }

  private static Runbook runbook(String name, Map<String, String> variables) {
    Map<String, String> all = new HashMap<>(Map.of("DIR", directory.resolve("cluster").toString()));
    all.putAll(variables);
    return new Runbook(name, DISTRIBUTION, directory.resolve("programs"), all);
  }
}
