package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A volume that its engine serves from another process: hosts read and write without an error while
 * the engine's bundle is replaced, snapshots are made, for which requests wait, limits change, and
 * the container is killed, away and started again. Soak repeats that more often.
 */
class NativeServingE2E {
  private static final String ARTIFACT = "holdfast-engine-example-outside";
  private static final Duration LIMIT = Duration.ofMinutes(3);
  private static final int REPLACEMENTS = count("replacements", 10, 100);
  private static final int SNAPSHOTS = count("snapshots", 20, 200);
  private static final int KILLS = count("kills", 3, 20);

  @TempDir private Path data;
  private RunningNode node;

  private static int count(String what, int usual, int soak) {
    boolean tireless = Boolean.getBoolean("holdfast.soak");
    return Integer.getInteger("holdfast.native." + what, tireless ? soak : usual);
  }

  @BeforeEach
  void start() {
    node = RunningNode.start(data.resolve("node"));
    node.shell("feature:install " + ARTIFACT);
    node.ok(
        "volume",
        "create",
        "outside",
        "--size",
        "64Mi",
        "--replicas",
        "1",
        "--engine",
        "example-outside");
  }

  @AfterEach
  void stop() {
    // Its processes outlive the container.
    var unused = node.run("volume", "detach", "outside");
    node.close();
  }

  private boolean servedNatively() {
    for (JsonNode condition : node.api().engineOf("outside").at("/status/conditions")) {
      if (condition.path("type").asText().equals("ServedNatively")) {
        return condition.path("status").asText().equals("True");
      }
    }
    return false;
  }

  /** Returns the processes that serve the volume. */
  private Set<Long> daemons() {
    return ProcessHandle.allProcesses()
        .filter(process -> process.info().commandLine().filter(this::isDaemon).isPresent())
        .map(ProcessHandle::pid)
        .collect(Collectors.toSet());
  }

  private boolean isDaemon(String commandLine) {
    return commandLine.contains("qemu-storage-daemon") && commandLine.contains(data.toString());
  }

  /** The status of before the kill stands until the node has looked. */
  private boolean servesAt(URI uri) {
    JsonNode status = node.api().engineOf("outside").at("/status");
    return status.path("currentState").asText().equals("running")
        && status.path("endpoint").asText().equals(uri.toString())
        && servedNatively();
  }

  private static void awaitRuns(RepeatedCommand client) {
    int enough = client.runs() + 2;
    Await.until("the client wrote and verified", LIMIT, () -> client.runs() >= enough);
  }

  private void replace(BundleJars jars, String version) throws Exception {
    int before = node.log().split("resumed in bundle", -1).length;
    node.shell("bundle:install -s file:" + jars.version(ARTIFACT, version));
    Await.until(
        "the volume is in bundle " + version,
        LIMIT,
        () -> node.log().split("resumed in bundle", -1).length > before);
  }

  /** Requests wait while the snapshot is made; at every second one a limit is set or removed. */
  private void holdForSnapshot(int number) {
    Api api = node.api();
    String snapshot = "outside.s-" + number;
    api.create(
        "snapshots",
        "Snapshot",
        snapshot,
        spec ->
            spec.put("volume", "outside")
                .put("snapshotName", "s-" + number)
                .put("createSnapshot", true));
    Await.until(
        snapshot + " is ready",
        LIMIT,
        () -> api.get("snapshots", snapshot).at("/status/readyToUse").asBoolean());
    int limit = number % 2 == 0 ? 0 : 5000;
    api.patch("volumes", "outside", spec -> spec.putObject("qos").put("iops", limit));
    api.delete("snapshots", snapshot);
    Await.until(
        snapshot + " is gone",
        LIMIT,
        () ->
            api.items("snapshots").stream()
                .noneMatch(left -> left.at("/metadata/name").asText().equals(snapshot)));
  }

  private void killContainer(RepeatedCommand client, URI uri) {
    Set<Long> before = daemons();
    assertThat(before).isNotEmpty();
    node.kill();
    awaitRuns(client);
    node.up().succeeded();
    Await.until("the export is adopted", LIMIT, () -> servesAt(uri));
    awaitRuns(client);
    assertThat(daemons()).isEqualTo(before);
  }

  @Test
  void hostsSeeNoErrorWhileBundleAndContainerAreReplaced() throws Exception {
    URI uri = node.attach("outside");
    assertThat(uri.getScheme()).isEqualTo("nbd+unix");
    assertThat(servedNatively()).isTrue();
    BundleJars jars = new BundleJars(data);
    try (RepeatedCommand client = RealClients.fio(uri)) {
      awaitRuns(client);
      for (int i = 1; i <= REPLACEMENTS; i++) {
        replace(jars, "5.0." + i);
        awaitRuns(client);
      }
      for (int i = 1; i <= SNAPSHOTS; i++) {
        holdForSnapshot(i);
      }
      for (int i = 1; i <= KILLS; i++) {
        killContainer(client, uri);
      }
    }
    node.ok("volume", "detach", "outside");
    var unused = Command.of("nbdinfo", uri.toString()).run().failed();
  }
}
