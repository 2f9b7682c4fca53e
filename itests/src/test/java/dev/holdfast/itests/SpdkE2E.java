package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.engine.spdk.simulator.SimulatedProgram;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A node that runs its SPDK target, by the commands of a user: the feature, a disk, a volume, a
 * host. The host writes while the container is killed and while the target is killed. The volume is
 * backed up and restored. A client connects by its key. A replica of Longhorn is imported. The
 * target is the simulator as a program.
 */
class SpdkE2E {
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final long DISK = 512L << 20;
  private static final int WRITES = 50;

  @TempDir private Path folder;
  private RunningNode node;

  /** Makes the program available at a path. */
  void install(Path program) throws IOException {
    Files.move(SimulatedProgram.script(folder), program);
  }

  private Path data() {
    return folder.resolve("node");
  }

  private long target() throws IOException {
    JsonNode record = new ObjectMapper().readTree(data().resolve("spdk/spdk-target.json").toFile());
    return record.findValue("pid").asLong();
  }

  private static void kill(long process) {
    ProcessHandle.of(process)
        .ifPresent(
            running -> {
              running.destroyForcibly();
              running.onExit().join();
            });
  }

  @AfterEach
  void stop() throws IOException {
    node.close();
    if (Files.exists(data().resolve("spdk/spdk-target.json"))) {
      long left = target();
      assertThat(node.ok("down")).contains("(pid " + left, "holdfast down --processes");
      assertThat(node.ok("down", "--processes")).contains("Ended ", "(pid " + left);
      assertThat(node.ok("down")).doesNotContain("still runs");
    }
  }

  private JsonNode disk() {
    return node.api().get("nodes", "node-1").at("/status/diskStatus/fast");
  }

  private String diskCondition(String field) {
    return disk().at("/conditions/0/" + field).asText();
  }

  private URI attached() throws IOException {
    Path file = folder.resolve("disk");
    try (RandomAccessFile device = new RandomAccessFile(file.toFile(), "rw")) {
      device.setLength(DISK);
    }
    Path program = folder.resolve("bin-nvmf_tgt");
    node =
        RunningNode.of(data())
            .withJava(
                RunningNode.QUICK
                    + " -Dholdfast.spdk.program="
                    + program
                    + " -Dholdfast.spdk.shared-cores=true -Dholdfast.spdk.port="
                    + Ports.free().nvmeof());
    node.up().succeeded();
    node.shell("feature:install holdfast-engine-spdk");
    node.ok("disk", "add", file.toString(), "--type", "device", "--name", "fast", "--no-wait");
    Await.until(
        "the disk's condition names what is missing",
        LIMIT,
        () -> diskCondition("message").contains(program + ": is not there: install SPDK"));
    install(program);
    Await.until("the disk is ready", LIMIT, () -> diskCondition("status").equals("True"));
    node.ok(
        "volume",
        "create",
        "fast",
        "--size",
        "64Mi",
        "--replicas",
        "1",
        "--engine",
        "spdk",
        "--frontend",
        "nvmeof");
    return node.attach("fast");
  }

  private void assertClientNeedsItsKey(URI endpoint) throws Exception {
    Path credentials = folder.resolve("hv-07");
    node.ok(
        "client",
        "add",
        "hv-07",
        "--volume",
        "fast",
        "--nqn",
        KeyedHost.NQN,
        "--directory",
        credentials.toString());
    String key = Files.readString(credentials.resolve("dhchap")).strip();
    try (KeyedHost host = new KeyedHost(data().resolve("spdk/spdk-target.sock"), folder)) {
      Await.until("the client is admitted", LIMIT, () -> host.connects(endpoint, key));
      assertThat(host.connects(endpoint, KeyedHost.OTHER_KEY)).as("with another key").isFalse();
      node.ok("client", "remove", "hv-07");
      Await.until("the client is refused", LIMIT, () -> !host.connects(endpoint, key));
    }
  }

  @Test
  void hostContinuesWhenContainerAndTargetAreKilled() throws Exception {
    URI endpoint = attached();
    assertThat(endpoint.getScheme()).isEqualTo("nvme");
    try (NvmeClient client = new NvmeClient(endpoint)) {
      NumberedWriter writer = new NumberedWriter(client);
      writer.awaitWrites(WRITES);
      long before = target();
      node.kill();
      writer.awaitWrites(WRITES);
      node.up().succeeded();
      node.ok("snapshot", "create", "fast", "s1"); // waits until the volume is adopted
      writer.awaitWrites(WRITES);
      assertThat(target()).as("process of the target").isEqualTo(before);
      assertThat(client.connections()).as("connections of the host").isEqualTo(1);
      kill(before);
      writer.awaitWrites(WRITES);
      assertThat(target()).as("process of the target").isNotEqualTo(before);
      node.ok("snapshot", "create", "fast", "s2");
      writer.awaitWrites(WRITES);
      writer.finish();
      new SpdkBackups(node, Files.createDirectory(folder.resolve("target")))
          .assertRestored("fast", client);
    }
    assertThat(node.ok("snapshot", "list", "fast")).contains("s1", "s2");
    assertClientNeedsItsKey(endpoint);
    node.ok("volume", "detach", "fast");
    node.ok("volume", "delete", "fast", "--grace", "0s");
    new SpdkImport(node, folder).assertImported();
  }
}
