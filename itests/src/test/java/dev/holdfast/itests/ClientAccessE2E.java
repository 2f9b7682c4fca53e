package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/**
 * A node with the defaults of a new cluster, whose frontends are closed, and clients of other
 * projects with and without credentials.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ClientAccessE2E {
  @TempDir static Path directory;
  private static RunningNode node;

  @BeforeAll
  static void start() {
    node = RunningNode.of(directory.resolve("data")).closed();
    node.up("--log-format", "json").succeeded();
  }

  @AfterAll
  static void stop() {
    node.close();
  }

  private static Path credentials(String client, String... options) {
    Path folder = directory.resolve(client);
    String[] words =
        Arrays.copyOf(
            new String[] {"client", "add", client, "--directory", folder.toString()},
            5 + options.length);
    System.arraycopy(options, 0, words, 5, options.length);
    assertThat(node.ok(words)).contains(folder.toString());
    return folder;
  }

  private static String secured(URI uri, Path folder) {
    return uri.toString().replace("nbd://", "nbds://") + "?tls-certificates=" + folder;
  }

  private static Path content(int value) throws IOException {
    byte[] content = new byte[1 << 20];
    Arrays.fill(content, (byte) value);
    return Files.write(directory.resolve("content-" + value), content);
  }

  private static Command.Result copy(Path source, String target) {
    return Command.of("nbdcopy", "--flush", source.toString(), target).run();
  }

  @Test
  void volumesAreReachedByCredentialsOnly() throws IOException {
    URI films = node.volume("films", "64Mi", 1);
    URI other = node.volume("other", "64Mi", 1);
    copy(content(1), films.toString()).failed();
    OtherAccount.run("nbdinfo", films.toString()).failed();
    OtherAccount.run("nbdinfo", "--list", films.toString()).failed();
    assertThat(Command.of("qemu-img", "info", films.toString()).run().failed().err())
        .contains("holdfast client add", "holdfast volume endpoint");
    copy(content(2), node.ok("volume", "endpoint", "films")).succeeded();

    Path folder = credentials("hv-07", "--volume", "films");
    String mine = secured(films, folder);
    copy(content(3), mine).succeeded();
    assertThat(Command.of("nbdinfo", "--list", mine).run().succeeded().out())
        .contains("films")
        .doesNotContain("other");
    copy(content(3), secured(other, folder)).failed();
    assertThat(node.ok("client", "list")).contains("hv-07", "films", "ReadWrite");

    Path reader = credentials("reader", "--volume", "film*", "--read-only");
    assertThat(Command.of("nbdinfo", secured(films, reader)).run().succeeded().out())
        .contains("is_read_only: true");
    copy(content(4), secured(films, reader)).failed();

    assertThat(node.ok("audit", "--verb", "connect")).contains("films", "hv-07", "other");
    assertThat(node.ok("health")).doesNotContain("FRONTEND_OPEN");
  }

  @Test
  void everyListenerIsInTheTableAndRefusesStrangers() throws Exception {
    for (String frontend : List.of("nbd", "iscsi", "nvmeof")) {
      String volume = "shown-" + frontend;
      node.ok(
          "volume", "create", volume, "--size", "64Mi", "--replicas", "1", "--frontend", frontend);
      node.attach(volume);
    }
    assertThat(NodeListener.unlisted(node)).isEmpty();
    Set<NodeListener> open = NodeListener.open(node);
    // The port of replicas opens when another node uses one of this node.
    assertThat(open).containsAll(EnumSet.complementOf(EnumSet.of(NodeListener.REPLICA)));
    for (NodeListener listener : open) {
      listener.refusesStrangers(node);
    }
  }

  @Test
  void listenerThatTheTableDoesNotHaveIsFound() throws IOException {
    Path jar =
        PlantedBundle.of(directory, "listener", PlantedListener.class, Runnable.class, "java.net");
    String id =
        node.shell("bundle:install -s file:" + jar).replaceAll("(?s).*Bundle ID: (\\d+).*", "$1");
    try {
      Await.until(
          "the planted listener is open",
          Duration.ofSeconds(60),
          () -> !NodeListener.unlisted(node).isEmpty());
    } finally {
      node.shell("bundle:uninstall " + id);
    }
    Await.until(
        "the planted listener is closed",
        Duration.ofSeconds(60),
        () -> NodeListener.unlisted(node).isEmpty());
  }

  @Test
  void linesOfTheLogNameTheRequestWhenTheLevelIsRaised() throws IOException {
    assertThat(node.ok("log-level")).contains("All loggers have the levels of");
    String raised =
        node.ok("log-level", "dev.holdfast.apiserver=debug", "--node", "node-1", "--for", "30m");
    assertThat(raised).contains("dev.holdfast.apiserver", "DEBUG", "node-1");
    AtomicInteger hours = new AtomicInteger(24);
    Await.until(
        "a request has lines",
        Duration.ofSeconds(60),
        () -> {
          // Another value each time, because an equal one is not written.
          String value = String.valueOf(hours.getAndIncrement());
          node.ok("setting", "set", "snapshot-scrub-interval", value);
          Set<String> recorded = new HashSet<>();
          for (JsonNode event : Cluster.tree(node.ok("audit", "-o", "json")).path("items")) {
            recorded.add(event.path("auditID").asText());
          }
          return logged().stream()
              .filter(line -> line.path("level").asText().equals("DEBUG"))
              .anyMatch(line -> recorded.contains(line.path("request").asText()));
        });
    assertThat(logged())
        .allSatisfy(
            line -> assertThat(line.fieldNames()).toIterable().contains("time", "level", "message"))
        .anySatisfy(line -> assertThat(line.path("logger").asText()).startsWith("dev.holdfast."));

    String ended = node.ok("log-level", "dev.holdfast.apiserver=default", "--node", "node-1");
    assertThat(ended).contains("All loggers have the levels of");
  }

  private static List<JsonNode> logged() {
    try {
      String log = Files.readString(node.data().resolve("log/holdfast.log"));
      // The node may be writing the last line.
      return log.substring(0, log.lastIndexOf('\n') + 1).lines().map(Cluster::tree).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void rotatedCertificateEndsAndARemovedClientLosesItsSession() throws Exception {
    URI uri = node.volume("rotated", "64Mi", 1);
    Path old = credentials("rotating", "--volume", "rotated");
    Path fresh = directory.resolve("fresh");
    node.ok("client", "rotate", "rotating", "--overlap", "1s", "--directory", fresh.toString());
    Await.until(
        "the former certificate is refused",
        Duration.ofSeconds(60),
        () -> Command.of("nbdinfo", secured(uri, old)).run().exitCode() != 0);

    Process session =
        new ProcessBuilder(
                "/usr/bin/python3",
                "-c",
                """
                import nbd, sys
                h = nbd.NBD()
                h.set_uri_allow_local_file(True)
                h.connect_uri(sys.argv[1])
                h.pwrite(b'x' * 512, 0)
                print('ready', flush=True)
                sys.stdin.readline()
                h.poll(20000)
                h.pwrite(b'y' * 512, 0)
                """,
                secured(uri, fresh))
            .redirectError(directory.resolve("nbdsh").toFile())
            .start();
    try (var out = session.inputReader();
        var in = session.outputWriter()) {
      assertThat(out.readLine()).isEqualTo("ready");
      node.ok("client", "remove", "rotating");
      in.write("\n");
      in.flush();
      assertThat(session.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(session.exitValue()).isNotZero();
    } finally {
      session.destroyForcibly();
    }
    assertThat(node.ok("audit", "--verb", "connect")).contains("its session ended");
  }

  /** Long form by {@code -Dholdfast.soak=true}. */
  @Test
  void rotationsBreakNoConnectionOfAValidClient() throws Exception {
    int rotations = Boolean.getBoolean("holdfast.soak") ? 50 : 3;
    URI uri = node.volume("steady", "64Mi", 1);
    Path folder = credentials("steady", "--volume", "steady");
    Path errors = directory.resolve("steady-errors");
    try (SecuredWriter first = SecuredWriter.start(secured(uri, folder), errors)) {
      for (int i = 1; i <= rotations; i++) {
        Path next = directory.resolve("steady-" + i);
        node.ok("client", "rotate", "steady", "--overlap", "24h", "--directory", next.toString());
        Await.until(
            "the new certificate is admitted",
            Duration.ofSeconds(60),
            () -> Command.of("nbdinfo", secured(uri, next)).run().exitCode() == 0);
        try (SecuredWriter other =
            SecuredWriter.start(secured(uri, next), directory.resolve("other-errors"))) {
          assertThat(other.stop()).isNotNegative();
        }
        assertThat(first.works()).as("after rotation %s", i).isTrue();
      }
      node.ok("client", "remove", "steady");
      assertThat(first.broken()).isPositive();
    }
    Await.until(
        "the end of the connection has a line",
        Duration.ofSeconds(60),
        () -> node.ok("audit", "--verb", "disconnect").contains("steady"));
  }

  /** Long form by {@code -Dholdfast.soak=true}. */
  @Test
  void renewalsOfTheNodesCertificateBreakNoConnection() throws Exception {
    int renewals = Boolean.getBoolean("holdfast.soak") ? 50 : 3;
    URI uri = node.volume("renewed", "64Mi", 1);
    String secured = secured(uri, credentials("renewing", "--volume", "renewed"));
    String shown = shownCertificate();
    try (SecuredWriter first = SecuredWriter.start(secured, directory.resolve("renewed-errors"))) {
      for (int i = 1; i <= renewals; i++) {
        assertThat(node.ok("node", "renew", "--name", "node-1")).contains("its own authority");
        String next = shownCertificate();
        assertThat(next).isNotEqualTo(shown);
        shown = next;
        try (SecuredWriter other =
            SecuredWriter.start(secured, directory.resolve("renewed-other-errors"))) {
          assertThat(other.stop()).isNotNegative();
        }
        assertThat(first.works()).as("after renewal %s", i).isTrue();
      }
      assertThat(first.stop()).isPositive();
    }
  }

  /** Returns the certificate of the node as a new client of the API sees it. */
  private static String shownCertificate() throws IOException {
    String text =
        Command.of(
                "bash",
                "-c",
                "openssl s_client -connect 127.0.0.1:"
                    + node.ports().api()
                    + " </dev/null 2>/dev/null | openssl x509 -noout -fingerprint -sha256")
            .run()
            .succeeded()
            .out();
    assertThat(text).contains("Fingerprint=");
    return text;
  }

  @Test
  void nodeUsesAVolumeByItsCertificateWhileATicketNamesIt() throws IOException {
    Path tls = directory.resolve("data/tls");
    Path folder = Files.createDirectory(directory.resolve("member"));
    Files.copy(tls.resolve("ca.crt"), folder.resolve("ca-cert.pem"));
    Files.copy(tls.resolve("server.crt"), folder.resolve("client-cert.pem"));
    // GnuTLS reads no EC key without its public key.
    Path key = folder.resolve("client-key.pem");
    Command.of("openssl", "ec", "-in", tls.resolve("server.key").toString(), "-out", key.toString())
        .run()
        .succeeded();
    URI uri = node.volume("member", "64Mi", 1);
    String secured = secured(uri, folder);
    assertThat(Command.of("nbdinfo", secured).run().failed().err()).contains("No such file");
    node.ok("volume", "attach", "member", "--node", "node-1");
    Await.until(
        "the ticket admits the node",
        Duration.ofSeconds(60),
        () -> Command.of("nbdinfo", secured).run().exitCode() == 0);
  }

  /**
   * The second node's data directory is not near the first one's, so it finds no socket. The last
   * test, because the second node is lost afterwards.
   */
  @Test
  @Order(Integer.MAX_VALUE)
  void nodesUseVolumesOfOtherMachinesByTheirCertificates() throws IOException {
    assumeTrue("root".equals(System.getProperty("user.name")), "mounting needs root");
    try (RunningNode second = RunningNode.of(directory.resolve("other/data")).closed()) {
      second
          .up(
              "--join",
              "127.0.0.1:" + node.ports().api(),
              "--token",
              node.ok("node", "token"),
              "--name",
              "node-2")
          .succeeded();
      node.ok("volume", "create", "remote", "--size", "64Mi", "--replicas", "1");
      node.ok("volume", "attach", "remote", "--node", "node-1");
      Path where = directory.resolve("mounted");
      second.ok("mount", "remote", where.toString());
      try {
        Files.writeString(where.resolve("file"), "by node-2");
      } finally {
        second.ok("umount", "remote");
      }
      assertThat(node.api().get("volumes", "remote").at("/status/currentNodeID").asText())
          .isEqualTo("node-1");

      Path exported = directory.resolve("exported");
      second.ok("volume", "export", "remote", exported.toString());
      Command.of("e2fsck", "-f", "-n", exported.toString()).run().succeeded();
      second.ok("volume", "import", "copy", exported.toString(), "--replicas", "1");
      Path again = directory.resolve("again");
      node.ok("volume", "export", "copy", again.toString());
      assertThat(again).hasSameBinaryContentAs(exported);

      String audit = node.ok("audit", "--verb", "connect");
      assertThat(node.api().get("volumeattachments", "remote").at("/spec/attachmentTickets"))
          .as("tickets of the second node end with its use; refusals: %s", audit)
          .hasSize(1);
    }
  }

  @Test
  void initiatorOfAClientLogsInByItsSecret() throws IOException {
    node.ok("volume", "create", "disk", "--size", "64Mi", "--replicas", "1", "--frontend", "iscsi");
    URI uri = node.attach("disk");
    String initiator = "iqn.2026-01.test:client";
    Path folder = credentials("initiator", "--volume", "disk", "--iqn", initiator);
    String secret =
        Files.readAllLines(folder.resolve("chap")).get(1).replaceFirst("password = ", "");
    assertThat(Command.of("iscsi-inq", "-i", initiator, uri.toString()).run().exitCode())
        .isNotZero();
    String named = uri.toString().replace("iscsi://", "iscsi://initiator%" + secret + "@");
    assertThat(Command.of("iscsi-inq", "-i", initiator, named).run().succeeded().out())
        .contains("HOLDFAST");
  }
}
