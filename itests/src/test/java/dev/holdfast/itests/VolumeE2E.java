package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One replicated volume, end to end, with the usual clients. */
class VolumeE2E {
  /** A part of /usr/share keeps CI quick; the long form takes all of it. */
  private static final Path FILES =
      Path.of(Boolean.getBoolean("holdfast.soak") ? "/usr/share" : "/usr/share/perl");

  private static final int BLOCK = 4096;

  private static final String LONGHORN =
      System.getProperty("holdfast.tree") + "/engines/sparse/src/test/resources/longhorn-v1";

  @TempDir static Path directory;
  private static RunningNode node;

  @BeforeAll
  static void start() {
    node = RunningNode.start(directory.resolve("data"));
  }

  @AfterAll
  static void stop() {
    node.close();
  }

  @Test
  void filesystemImageComesBackAsItWas() throws IOException {
    Path image = directory.resolve("image");
    Path copy = directory.resolve("copy");
    String size = Boolean.getBoolean("holdfast.soak") ? "4G" : "256M";
    Command.of("mke2fs", "-q", "-t", "ext4", "-d", FILES.toString(), image.toString(), size)
        .within(Duration.ofMinutes(10))
        .run()
        .succeeded();
    URI uri = node.volume("image", size + "i", 3);

    Command.of("nbdcopy", image.toString(), uri.toString())
        .within(Duration.ofMinutes(10))
        .run()
        .succeeded();
    Command.of("nbdcopy", uri.toString(), copy.toString())
        .within(Duration.ofMinutes(10))
        .run()
        .succeeded();

    assertThat(Files.mismatch(image, copy)).isEqualTo(-1);
    Command.of("e2fsck", "-f", "-n", copy.toString()).run().succeeded();
    node.ok("volume", "detach", "image");
    node.replicasAgree("image", 3);
    node.ok("volume", "delete", "image", "--grace", "0s");
  }

  @Test
  void clientsFindTheExportWithItsSize() {
    URI uri = node.volume("seen", "64Mi", 3);

    assertThat(Command.of("nbdinfo", "--size", uri.toString()).run().succeeded().out())
        .isEqualTo(String.valueOf(64 << 20));
    assertThat(
            Command.of("qemu-img", "info", "--output=json", uri.toString()).run().succeeded().out())
        .contains(String.valueOf(64 << 20));
    assertThat(Command.of("nbdinfo", "--list", root(uri)).run().succeeded().out()).contains("seen");
  }

  @Test
  void ownAccountUsesTheSocketAndOtherAccountsDoNot() throws IOException {
    URI remote = node.volume("own", "64Mi", 2);
    String local = node.ok("volume", "endpoint", "own");
    assertThat(local).isEqualTo("nbd+unix:///own?socket=" + directory + "/data/run/nbd.sock");
    assertThat(node.endpoint("own")).isEqualTo(remote);

    byte[] content = new byte[1 << 20];
    Arrays.fill(content, (byte) 7);
    Path source = Files.write(directory.resolve("own"), content);
    Command.of("nbdcopy", "--flush", source.toString(), local).run().succeeded();
    Command.of("qemu-io", "-r", "-f", "raw", local, "-c", "read -P 7 0 1M").run().succeeded();
    assertThat(OtherAccount.run("nbdinfo", local).failed().err()).contains("Permission denied");
  }

  @Test
  void fioVerifiesItsWrites() {
    URI uri = node.volume("fio", "128Mi", 3);

    Command.of(
            "fio",
            "--name=verify",
            "--ioengine=nbd",
            "--uri=" + uri,
            "--rw=randwrite",
            "--bsrange=4k-64k",
            "--iodepth=16",
            "--size=64m",
            "--verify=crc32c",
            "--do_verify=1",
            "--end_fsync=1")
        .run()
        .succeeded();
  }

  @Test
  void kubectlShowsTheColumnsOfVolumes() {
    node.volume("columns", "64Mi", 2);

    String table =
        Command.of("kubectl", "--kubeconfig", node.ok("kubeconfig"), "get", "volumes")
            .run()
            .succeeded()
            .out();

    assertThat(table.lines().findFirst().orElseThrow().toLowerCase(java.util.Locale.ROOT))
        .contains("name", "size", "state", "robustness", "node", "age");
    assertThat(table.lines().filter(line -> line.startsWith("columns ")))
        .singleElement()
        .asString()
        .contains("attached", "healthy", "node-1");
  }

  @Test
  void countersOfANodeEqualThoseOfItsClient() throws IOException {
    URI uri = node.volume("measured", "64Mi", 2);
    try (NbdConnection client = new NbdConnection(uri)) {
      for (int i = 0; i < 10; i++) {
        assertThat(client.write((long) i * BLOCK, new byte[BLOCK])).isZero();
      }
      for (int i = 0; i < 5; i++) {
        assertThat(client.read(0, 2 * BLOCK)).hasSize(2 * BLOCK);
      }
    }

    String text = raw("/metrics");
    assertThat(text.lines())
        .contains(
            "holdfast_volume_requests_total{kind=\"write\",volume=\"measured\"} 10.0",
            "holdfast_volume_bytes_total{kind=\"write\",volume=\"measured\"} 40960.0",
            "holdfast_volume_requests_total{kind=\"read\",volume=\"measured\"} 5.0",
            "holdfast_volume_request_seconds_count{kind=\"read\",volume=\"measured\"} 5",
            "holdfast_volume_requests_in_flight{volume=\"measured\"} 0.0");
    assertThat(text).contains("jvm_memory_used_bytes{", "process_cpu_seconds_total ");
    assertThat(text).doesNotContain("holdfast_metrics_source_failures_total{");
    Path scrape = Files.writeString(directory.resolve("scrape"), text + "\n");
    Command.of("sh", "-c", "promtool check metrics < " + scrape).run().succeeded();
    assertThat(raw("/metrics?group=volume")).doesNotContain("jvm_");
  }

  @Test
  void healthNamesReplicasThatShareAFilesystem() throws IOException {
    URI unused = node.volume("together", "64Mi", 2);
    String findings = raw("/apis/holdfast.dev/v1/health");
    assertThat(findings)
        .contains("VOLUME_UNPROTECTED", "volume/together")
        .doesNotContain("CHECK_FAILED", "STORE_AWAY", "NODE_DOWN");
    assertThat(node.ok("health", "-o", "json")).contains("\"volume/together\"");
    assertThat(node.ok("health")).contains("VOLUME_UNPROTECTED", "holdfast disk add PATH");
    assertThat(node.shell("holdfast:health")).contains("VOLUME_UNPROTECTED");
  }

  /** Reads a document of the API as a user of kubectl does. */
  private static String raw(String path) {
    return Command.of("kubectl", "--kubeconfig", node.ok("kubeconfig"), "get", "--raw", path)
        .run()
        .succeeded()
        .out();
  }

  @Test
  void tokenHasTheRightsOfItsRoleUntilItIsRemoved() {
    String token = node.ok("token", "create", "viewer", "--role", "view", "--expires", "1h");
    assertThat(kubectl(token, "auth", "whoami").succeeded().out()).contains("viewer");
    assertThat(kubectl(token, "auth", "can-i", "list", "volumes").succeeded().out())
        .isEqualTo("yes");
    assertThat(kubectl(token, "auth", "can-i", "delete", "volumes").failed().out())
        .startsWith("no - user \"viewer\" may not delete volumes");
    kubectl(token, "get", "volumes").succeeded();
    assertThat(kubectl(token, "delete", "volume", "precious").failed().err())
        .contains("Forbidden", "viewer", "view");
    assertThat(kubectl(token, "get", "accesstokens").failed().err()).contains("Forbidden");
    assertThat(Command.of("kubectl", "--kubeconfig", node.ok("kubeconfig"), "auth", "whoami").run())
        .satisfies(result -> assertThat(result.succeeded().out()).contains("local-admin"));

    node.ok("token", "remove", "viewer");

    Await.until(
        "a removed token is refused",
        Duration.ofSeconds(30),
        () -> kubectl(token, "get", "volumes").exitCode() != 0);
    assertThat(node.ok("audit", "--user", "viewer", "--verb", "delete"))
        .contains("volumes/precious", "403", "127.0.0.1");
    assertThat(node.ok("audit", "--kind", "accesstokens")).contains("local-admin", "create");
  }

  private static Command.Result kubectl(String token, String... words) {
    List<String> all = new ArrayList<>(List.of("kubectl", "--kubeconfig", node.ok("kubeconfig")));
    all.addAll(List.of("--token", token));
    all.addAll(List.of(words));
    return Command.of(all).run();
  }

  @Test
  void detachedVolumeRefuses() {
    URI uri = node.volume("refused", "64Mi", 1);

    node.ok("volume", "detach", "refused");

    assertThatThrownBy(() -> new NbdConnection(uri).close()).isInstanceOf(IOException.class);
    assertThat(node.run("volume", "endpoint", "refused").failed().err()).contains("refused");
  }

  @Test
  void openConnectionOfDetachedVolumeDoesNoIo() throws IOException {
    URI uri = node.volume("closing", "64Mi", 1);
    try (NbdConnection connection = new NbdConnection(uri)) {
      assertThat(connection.write(0, new byte[4096])).isZero();

      node.ok("volume", "detach", "closing");

      assertThatThrownBy(
              () -> {
                if (connection.write(0, new byte[4096]) != 0) {
                  throw new IOException("refused");
                }
              })
          .isInstanceOf(IOException.class);
    }
  }

  @Test
  void deletionOfAnAttachedVolumeIsRefusedOrWaitsForTheDetachment() throws IOException {
    URI uri = node.volume("deleted", "64Mi", 2);
    try (NbdConnection connection = new NbdConnection(uri)) {
      assertThat(node.run("volume", "delete", "deleted").failed().err())
          .contains("attached to node-1 by ticket api", "--when-detached");
      assertThat(new KarafShell(node.data()).run("holdfast:volume-delete deleted").failed().out())
          .contains("attached to node-1 by ticket api", "--when-detached");
      node.ok("volume", "delete", "deleted", "--when-detached", "--grace", "0s");

      assertThat(connection.write(4096, new byte[4096])).isZero();
      assertThat(node.heads("deleted")).hasSize(2);
    }

    node.ok("volume", "detach", "deleted");

    Await.until(
        "the volume is gone with its replicas",
        Duration.ofSeconds(30),
        () ->
            node.run("volume", "get", "deleted").exitCode() == 1
                && node.heads("deleted").isEmpty());
  }

  @Test
  void deletedVolumeIsTakenBackWithItsSnapshotsOrPurged() throws IOException {
    byte[] early = new byte[4096];
    byte[] late = new byte[4096];
    Arrays.fill(early, (byte) 1);
    Arrays.fill(late, (byte) 2);
    try (NbdConnection connection = new NbdConnection(node.volume("regretted", "64Mi", 2))) {
      assertThat(connection.write(0, early)).isZero();
      node.ok("snapshot", "create", "regretted", "before");
      assertThat(connection.write(0, late)).isZero();
    }
    node.ok("volume", "detach", "regretted");

    assertThat(node.ok("volume", "delete", "regretted"))
        .contains("kept until", "'holdfast volume undelete regretted'");
    assertThat(node.heads("regretted")).hasSize(2);
    assertThat(node.ok("volume", "list", "--deleted")).contains("regretted", "64Mi");
    assertThat(node.run("volume", "create", "regretted", "--size", "1Mi").failed().err())
        .contains("'holdfast volume undelete regretted'", "'holdfast volume purge regretted'");

    node.ok("volume", "undelete", "regretted");
    try (NbdConnection connection = new NbdConnection(node.attach("regretted"))) {
      assertThat(connection.read(0, 4096)).isEqualTo(late);
    }
    assertThat(node.ok("snapshot", "list", "regretted")).contains("before");
    node.ok("volume", "detach", "regretted");
    node.ok("snapshot", "revert", "regretted", "before", "--confirm", "regretted");
    try (NbdConnection connection = new NbdConnection(node.attach("regretted"))) {
      assertThat(connection.read(0, 4096)).isEqualTo(early);
    }

    node.ok("volume", "detach", "regretted");
    node.ok("volume", "delete", "regretted");
    assertThat(node.run("volume", "purge", "regretted").failed().err())
        .contains("--confirm regretted");
    assertThat(node.heads("regretted")).hasSize(2);
    node.ok("volume", "purge", "regretted", "--confirm", "regretted");
    assertThat(node.heads("regretted")).isEmpty();
  }

  @Test
  void volumesAreAttachedAgainAfterDownAndUp(@TempDir Path own) throws IOException {
    try (RunningNode other = RunningNode.start(own)) {
      URI uri = other.volume("kept", "64Mi", 3);
      byte[] written = new byte[4096];
      Arrays.fill(written, (byte) 7);
      try (NbdConnection connection = new NbdConnection(uri)) {
        assertThat(connection.write(8192, written)).isZero();
      }

      other.ok("down");
      other.up().succeeded();

      Await.until(
          "the volume is served again",
          Duration.ofSeconds(30),
          () -> other.run("volume", "endpoint", "kept").exitCode() == 0);
      try (NbdConnection connection = new NbdConnection(other.endpoint("kept"))) {
        assertThat(connection.read(8192, 4096)).isEqualTo(written);
      }
    }
  }

  private static String sha256(Path file) {
    String sum = Command.of("sha256sum", file.toString()).run().succeeded().out();
    return sum.substring(0, sum.indexOf(' '));
  }

  @Test
  void aReplicaThatLonghornWroteBecomesAVolumeWithItsSnapshots(@TempDir Path replica)
      throws IOException {
    Command.of(
            "tar", "-S", "--zstd", "-C", replica.toString(), "-xf", LONGHORN + "/replica.tar.zst")
        .run()
        .succeeded();

    node.ok("volume", "import", "foreign", "--longhorn", replica.toString(), "--replicas", "2");

    node.ok("volume", "attach", "foreign");
    String sums = Files.readString(Path.of(LONGHORN, "content.sha256"));
    for (String content : List.of("head", "snap1", "snap2")) {
      Path image = directory.resolve("foreign-" + content);
      List<String> words =
          new ArrayList<>(List.of("volume", "export", "foreign", image.toString()));
      if (!content.equals("head")) {
        words.addAll(List.of("--snapshot", content));
      }
      node.ok(words.toArray(String[]::new));
      assertThat(sums).contains(sha256(image) + "  " + content);
      Files.delete(image);
    }
    node.ok("volume", "detach", "foreign");
    node.ok("volume", "delete", "foreign", "--grace", "0s");
  }

  private static void scribble(Path head, int value) throws IOException {
    byte[] block = new byte[BLOCK];
    Arrays.fill(block, (byte) value);
    try (FileChannel file = FileChannel.open(head, StandardOpenOption.WRITE)) {
      file.write(ByteBuffer.wrap(block), 0);
    }
  }

  /**
   * Foreign writes into both replicas: the engine cannot decide which content is valid. Slow,
   * because a faulted volume stays detached for half a minute.
   */
  @Test
  @Tag("soak")
  void salvageOpensVolumeWhoseReplicasWereModifiedFromOutside() throws IOException {
    URI uri = node.volume("doubtful", "64Mi", 2);
    try (NbdConnection connection = new NbdConnection(uri)) {
      assertThat(connection.write(1 << 20, new byte[BLOCK])).isZero();
    }
    node.ok("volume", "detach", "doubtful");
    List<Path> heads = node.heads("doubtful");
    scribble(heads.get(0), 1);
    scribble(heads.get(1), 2);

    node.ok("volume", "attach", "doubtful", "--no-wait");
    Await.until(
        "it is refused",
        Duration.ofMinutes(3),
        () -> node.ok("volume", "get", "doubtful", "-o", "json").contains("cannot be opened"));
    assertThat(node.run("volume", "endpoint", "doubtful").exitCode()).isNotZero();
    String chosen = heads.get(1).getParent().getFileName().toString();
    node.ok("volume", "salvage", "doubtful", "--replica", chosen, "--confirm", "doubtful");

    Await.until(
        "it is served again",
        Duration.ofMinutes(3),
        () -> node.run("volume", "endpoint", "doubtful").exitCode() == 0);
    try (NbdConnection connection = new NbdConnection(node.endpoint("doubtful"))) {
      byte[] expected = new byte[BLOCK];
      Arrays.fill(expected, (byte) 2);
      assertThat(connection.read(0, BLOCK)).isEqualTo(expected);
    }
  }

  private static String root(URI uri) {
    return uri.toString().substring(0, uri.toString().lastIndexOf('/'));
  }
}
