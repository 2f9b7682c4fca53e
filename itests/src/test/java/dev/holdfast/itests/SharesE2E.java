package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A share of the real distribution: a client with a real kernel writes without an error while its
 * server and the container are killed and a snapshot is taken.
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

      node.ok("snapshot", "create", "files", "first");
      client.awaitProgress();
      assertThat(node.ok("share", "clients", "files")).contains("127.0.0.1");

      Command.Result refused = node.run("share", "stop", "files");
      assertThat(refused.exitCode()).as("a share in use").isNotZero();
      assertThat(refused.err()).contains("holdfast share stop files --force");
      long written = client.stop();
      assertThat(client.sh("cat /run/files/numbers").lines())
          .as("every acknowledged number is there")
          .startsWith(numbers(written));
      client.sh("umount /run/files");
      stop(node);
    }
  }

  private static String[] numbers(long count) {
    return java.util.stream.LongStream.rangeClosed(1, count)
        .mapToObj(Long::toString)
        .toArray(String[]::new);
  }

  private static URI endpoint(RunningNode node) throws IOException {
    String share = node.ok("share", "get", "files", "-o", "json");
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
    assertThat(node.ok("share", "list")).contains("stopped");
    assertThat(ShareRemains.processes(node.data())).as("processes of the share").isEmpty();
    assertThat(Files.readString(Path.of("/proc/self/mountinfo")).lines())
        .as("mounts below the data directory")
        .noneMatch(line -> line.contains(node.data() + "/share"));
    Await.until(
        "the volume is detached",
        LONG,
        () -> node.ok("volume", "get", "files").contains("detached"));
    node.ok("volume", "delete", "files");
    assertThat(node.ok("share", "list")).contains("No volume has a share");
  }
}
