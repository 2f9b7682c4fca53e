package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A share of the real distribution: a client with a real kernel writes without an error while its
 * server and the container are killed and a snapshot is taken. The snapshot is a sound filesystem
 * with all synced records. A copy and a restored backup for one node have the content of the share,
 * and so have a copy and a restored backup of these that are shares again.
 */
class SharesE2E {
  private static final Duration LONG = Duration.ofMinutes(2);

  @TempDir Path directory;

  /** Ends what a failed test left, because the next attempt needs the port and the directory. */
  @AfterEach
  void removeRemains() {
    ShareRemains.remove(directory.resolve("data"));
  }

  @Test
  void clientOfAShareSeesNoErrorWhileItsServerAndTheContainerAreKilled() throws Exception {
    assumeTrue("root".equals(System.getProperty("user.name")), "sharing needs root");
    try (RunningNode node = RunningNode.start(directory.resolve("data"));
        ShareClient client = ShareClient.start()) {
      node.ok(
          "volume",
          "create",
          "files",
          "--size",
          "256Mi",
          "--replicas",
          "2",
          "--access-mode",
          "rwx");
      node.ok("share", "files", "--allow", "10.99.0.0/16");
      URI endpoint = endpoint(node);
      assertThat(list(endpoint).exitCode()).as("a client that is not allowed").isNotZero();
      node.ok("share", "files", "--allow", "127.0.0.0/8");
      assertThat(endpoint(node)).isEqualTo(endpoint);
      list(endpoint).succeeded();

      client.mount(endpoint.getPort(), "files", "/run/files");
      client.write("/run/files/numbers");
      client.awaitProgress();
      long server = server(node).orElseThrow().pid();

      ProcessHandle.of(server).orElseThrow().destroyForcibly();
      client.awaitProgress();
      long second = server(node).orElseThrow().pid();
      assertThat(second).isNotEqualTo(server);

      node.kill();
      assertThat(server(node)).as("the server outlives the container").isPresent();
      node.up().succeeded();
      client.awaitProgress();
      assertThat(server(node).orElseThrow().pid())
          .as("the server is adopted: %s", node.ok("share", "get", "files", "-o", "json"))
          .isEqualTo(second);

      node.ok("volume", "set", "files", "--freeze-filesystem-for-snapshot", "enabled");
      long synced = client.acknowledged();
      node.ok("snapshot", "create", "files", "first");
      client.awaitProgress();
      assertSound(node, synced);
      assertThat(node.ok("share", "clients", "files")).contains("127.0.0.1");

      Command.Result refused = node.run("share", "stop", "files");
      assertThat(refused.exitCode()).as("a share in use").isNotZero();
      assertThat(refused.err()).contains("holdfast share stop files --force");
      long written = client.stop();
      assertThat(client.sh("cat /run/files/numbers").lines())
          .as("every acknowledged number is there")
          .startsWith(numbers(written));
      node.ok(
          "backup", "add-target", "file://" + Files.createDirectory(directory.resolve("target")));
      for (Way way : Way.values()) {
        assertContentIsKept(node, client, way);
      }
      client.sh("umount /run/files");
      stop(node);
    }
  }

  /** A filesystem that was frozen needs no recovery: what was synced is in it as it lies there. */
  private void assertSound(RunningNode node, long synced) {
    String image = directory.resolve("first.img").toString();
    node.ok("volume", "export", "files", image, "--snapshot", "first");
    assertThat(Command.of("dumpe2fs", "-h", image).run().succeeded().out())
        .doesNotContain("needs_recovery");
    Command.of("e2fsck", "-f", "-n", image).run().succeeded();
    String content = Command.of("debugfs", "-R", "cat /numbers", image).run().succeeded().out();
    assertThat(content.lines()).startsWith(numbers(synced));
  }

  /** Way in which a volume gets the content of another one. */
  private enum Way {
    COPY,
    RESTORE;

    String named(String prefix) {
      return prefix + "-" + name().toLowerCase(Locale.ROOT);
    }

    void make(RunningNode node, String source, String volume, String mode) {
      List<String> command =
          new ArrayList<>(List.of("volume", "create", volume, "--replicas", "1"));
      command.addAll(List.of("--access-mode", mode));
      switch (this) {
        case COPY -> command.addAll(List.of("--from", source));
        case RESTORE -> {
          node.ok("backup", "create", source, "--name", "of-" + source);
          command.addAll(List.of("--backup", "of-" + source, "--wait"));
        }
      }
      node.ok(command.toArray(String[]::new));
    }
  }

  /** Has the content of the share in a volume for one node, and that one's in a share again. */
  private void assertContentIsKept(RunningNode node, ShareClient client, Way way) throws Exception {
    final String content = client.sh("md5sum < /run/files/numbers");
    String single = way.named("single");
    String again = way.named("again");
    way.make(node, "files", single, "rwo");
    Path mounted = directory.resolve(single);
    node.ok("mount", single, mounted.toString());
    try {
      Path numbers = mounted.resolve("numbers");
      assertThat(Command.of("sh", "-c", "md5sum < " + numbers).run().succeeded().out().strip())
          .as("the volume for one node")
          .isEqualTo(content);
      Files.writeString(mounted.resolve("more"), "of one node");
    } finally {
      node.ok("umount", single);
    }
    way.make(node, single, again, "rwx");
    node.ok("share", again, "--allow", "127.0.0.0/8");
    client.mount(endpoint(node, again).getPort(), again, "/run/again");
    assertThat(client.sh("md5sum < /run/again/numbers")).as("the share again").isEqualTo(content);
    assertThat(client.sh("cat /run/again/more")).isEqualTo("of one node");
    client.sh("umount /run/again");
    node.ok("share", "stop", again, "--force");
    node.ok("volume", "delete", again);
    node.ok("volume", "delete", single);
  }

  private static String[] numbers(long count) {
    return java.util.stream.LongStream.rangeClosed(1, count)
        .mapToObj(Long::toString)
        .toArray(String[]::new);
  }

  static URI endpoint(RunningNode node) throws IOException {
    return endpoint(node, "files");
  }

  private static URI endpoint(RunningNode node, String name) throws IOException {
    String share = node.ok("share", "get", name, "-o", "json");
    return URI.create(new ObjectMapper().readTree(share).at("/status/endpoint").asText());
  }

  /** Lists the share by another client, which has no kernel. */
  private static Command.Result list(URI endpoint) {
    return Command.of(
            "nfs-ls",
            endpoint.getScheme()
                + "://"
                + endpoint.getHost()
                + endpoint.getPath()
                + "?version=4&nfsport="
                + endpoint.getPort())
        .run();
  }

  /** Returns the server's process. */
  private static Optional<ProcessHandle> server(RunningNode node) {
    return ShareRemains.processes(node.data()).stream()
        .filter(process -> ShareRemains.command(process).startsWith("ganesha.nfsd"))
        .findFirst();
  }

  private static void stop(RunningNode node) throws IOException {
    Await.until(
        "the client is gone", LONG, () -> node.run("share", "stop", "files").exitCode() == 0);
    assertThat(node.ok("share", "list")).doesNotContain("running").contains("stopped");
    assertThat(ShareRemains.processes(node.data())).as("processes of the share").isEmpty();
    assertThat(Files.readString(Path.of("/proc/self/mountinfo")).lines())
        .as("mounts below the data directory")
        .noneMatch(line -> line.contains(node.data() + "/share"));
    node.awaitDetached("files", LONG);
    node.ok("volume", "delete", "files", "--grace", "0s");
    assertThat(node.ok("share", "list")).contains("No volume has a share");
  }
}
