package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The container and the command that starts it. */
@Tag("repeatable")
class ContainerE2E {
  private static final List<String> OLD_FILES =
      List.of(
          "holdfast.env",
          "log/holdfast.log.1",
          "upgrade/earlier/file",
          "karaf/etc/earlier.properties",
          "disks/earlier/copies/one/volume-head-000.img");

  /** The budget of an idle node; {@code docs/operations/nodes.md} states it. */
  private static final long RESIDENT_KIB = 350 << 10;

  @TempDir static Path data;
  private static RunningNode node;

  @BeforeAll
  static void start() throws IOException {
    Path own = data.resolve("a node");
    writeOldTree(own);
    Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwxr-xr-x"));
    node = RunningNode.unprepared(own).withJava("");
    node.up("--csi", csiSocket().toString()).succeeded();
    node.ok("volume", "create", "private", "--size", "16Mi", "--replicas", "1");
  }

  /** The rule also applies to the files of a stopped node. */
  @AfterAll
  static void stop() throws IOException {
    try {
      node.ok("down");
      assertThat(OtherAccount.findsBelow(node.data())).as("of a stopped node").isEmpty();
      assertThat(OtherAccount.openByMode(node.data())).as("of a stopped node").isEmpty();
    } finally {
      node.close();
    }
  }

  private static Path csiSocket() {
    return data.resolve("kubelet/csi.sock");
  }

  /** Files as earlier releases left them: readable by every account. */
  private static void writeOldTree(Path own) throws IOException {
    for (String name : OLD_FILES) {
      Path file = own.resolve(name);
      Files.createDirectories(file.getParent());
      Files.writeString(file, name.endsWith(".env") ? "nodes=1\n" : "");
    }
    Command.of("chmod", "-R", "u=rwX,go=rX", own.toString()).run().succeeded();
  }

  @Test
  void everyBundleIsActive() {
    // A bundle waits while its component is bound again, because a further service has arrived.
    List<String> waiting = bundlesThatWait();
    Await.until(
        "these bundles are active: " + waiting,
        Duration.ofSeconds(60),
        () -> bundlesThatWait().isEmpty());
  }

  private static List<String> bundlesThatWait() {
    List<String> bundles =
        node.ok("shell", "bundle:list -t 0 -s --no-format")
            .lines()
            .filter(line -> line.matches("^\\d+\\s.*"))
            .toList();
    assertThat(bundles.toString()).contains("dev.holdfast.");
    return bundles.stream()
        .filter(line -> !line.contains("Active") && !line.contains("Resolved"))
        .toList();
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
  void secondUpReportsThatTheNodeRunsAlready() {
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
  void otherAccountsReadAndWriteNothing() throws IOException {
    assertThat(OLD_FILES).allSatisfy(name -> assertThat(node.data().resolve(name)).exists());
    assertThat(node.heads("private")).isNotEmpty();

    assertThat(OtherAccount.findsBelow(node.data())).isEmpty();
    assertThat(OtherAccount.openByMode(node.data())).isEmpty();
    assertThat(OtherAccount.openForWriting(node.pid())).isEmpty();
  }

  /**
   * Karaf's shutdown port was one more: its command was in a file that every account could read.
   */
  @Test
  void otherAccountsReachOnlyPortsWithAReason() throws IOException {
    Map<Integer, String> reasons =
        Map.of(
            node.ports().api(), "requests need a bearer token, but for health and joining",
            node.ports().ssh(), "the shell needs the password in karaf/etc, closed to others",
            node.ports().rpc(), "TLS with the certificate of a member",
            node.ports().replica(), "TLS with the certificate of a member",
            node.ports().nbd(), "clients of volumes; loopback unless --address says otherwise");

    assertThat(OtherAccount.tcpPorts(node.pid()))
        .isNotEmpty()
        .allSatisfy(port -> assertThat(reasons).containsKey(port));
    assertThat(OtherAccount.namedSockets(node.pid())).contains(csiSocket().toString());
    assertThat(OtherAccount.unixSockets(node.pid())).isEmpty();
  }

  /** Its mode would become 0700, so that other accounts could not use /tmp, for example. */
  @Test
  void directoryWithForeignFilesIsNotTaken(@TempDir Path other) throws IOException {
    Files.createDirectory(other.resolve("home"));
    Files.setPosixFilePermissions(other, PosixFilePermissions.fromString("rwxr-xr-x"));

    Command.Result result =
        Command.of(
                Path.of(System.getProperty("holdfast.distribution"), "holdfast").toString(),
                "up",
                "--data",
                other.toString())
            .run()
            .failed();

    assertThat(result.err()).contains(other.toString()).contains("home").contains("--data DIR");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(other)))
        .isEqualTo("rwxr-xr-x");
  }

  @Test
  void wrongUseExitsWithTwo() {
    assertThat(node.run("up", "--no-such-option").exitCode()).isEqualTo(2);
    assertThat(node.run("volume", "create").exitCode()).isEqualTo(2);
    assertThat(node.run("no-such-command").exitCode()).isEqualTo(2);
  }

  @Test
  @Tag("soak")
  void nodeReturnsMemoryAfterLoad() throws IOException {
    URI first = node.volume("loaded-1", "64Mi", 1);
    URI second = node.volume("loaded-2", "64Mi", 1);
    for (int round = 0; round < 20; round++) {
      writeThrough(first);
      writeThrough(second);
    }
    for (String name : List.of("loaded-1", "loaded-2")) {
      node.ok("volume", "detach", name);
    }

    Await.until(
        "the node has returned memory to the system: at most " + RESIDENT_KIB + " KiB",
        Duration.ofMinutes(2),
        () -> residentKib() <= RESIDENT_KIB);
  }

  /** Writes 64 MiB by requests of 1 MiB, of which 8 are under way. */
  private static void writeThrough(URI uri) throws IOException {
    byte[] content = new byte[1 << 20];
    try (NbdConnection connection = new NbdConnection(uri)) {
      for (int block = 0; block < 64; block += 8) {
        for (int i = 0; i < 8; i++) {
          connection.sendWrite(i, (long) (block + i) << 20, content, false);
        }
        for (int i = 0; i < 8; i++) {
          assertThat(connection.receive().error()).isZero();
        }
      }
    }
  }

  private static long residentKib() throws IOException {
    return Files.readAllLines(Path.of("/proc", String.valueOf(node.pid()), "status")).stream()
        .filter(line -> line.startsWith("VmRSS:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
        .findFirst()
        .orElseThrow();
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
