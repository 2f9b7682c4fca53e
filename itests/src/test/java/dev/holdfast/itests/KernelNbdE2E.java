package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The kernel's own NBD client as the reference: a filesystem on its device sees only a stall when
 * the container restarts; and even its connections stay open when bundles are replaced.
 */
class KernelNbdE2E {
  private static final String VOLUME = "judged";
  private static final Duration SOAK = Duration.ofMinutes(10);
  private static final String FRONTEND = "frontend-nbd";
  private static final String ENGINE = "engine-sparse";
  private static final Path OURS =
      Path.of(System.getProperty("holdfast.distribution"), "system/dev/holdfast").normalize();

  @TempDir Path folder;

  @Test
  @Tag("soak")
  void restartsOfTheContainerAndReplacementsCauseOnlyStalls() throws Exception {
    judged(
        client -> {
          client.act(() -> killed(client.node()));
          client.act(() -> updated(client.node(), FRONTEND));
          client.act(() -> restarted(client.node()));
          client.act(() -> updated(client.node(), ENGINE));
        },
        Boolean.getBoolean("holdfast.soak") ? SOAK : Duration.ZERO,
        true);
  }

  @Test
  void replacementsOfBundlesBreakNoConnection() throws Exception {
    judged(
        client -> {
          client.act(() -> updated(client.node(), FRONTEND));
          client.act(() -> updated(client.node(), ENGINE));
        },
        Duration.ZERO,
        false);
  }

  /**
   * Runs the scenario while the kernel reads and writes: at least once, and repeatedly until the
   * duration has passed.
   */
  private void judged(KernelClient.Scenario scenario, Duration least, boolean breaks)
      throws Exception {
    try (RunningNode node = RunningNode.start(folder.resolve("data"))) {
      node.volume(VOLUME, "256Mi", 3);
      KernelClient client = new KernelClient(folder, node, VOLUME, 3);
      long broken = client.during(least, scenario);
      if (breaks) {
        assertThat(broken).as("broken connections that were replaced").isPositive();
      } else {
        assertThat(broken).as("broken connections").isZero();
      }
      node.ok("volume", "detach", VOLUME);
      node.replicasAgree(VOLUME, 3);
    }
  }

  private static void killed(RunningNode node) {
    node.kill();
    node.up().succeeded();
  }

  private static void restarted(RunningNode node) {
    node.ok("down");
    node.up().succeeded();
  }

  /** Updates the bundle in place by Karaf's own command. */
  private static void updated(RunningNode node, String bundle) throws IOException {
    node.shell("bundle:update dev.holdfast." + bundle.replace('-', '.') + " file:" + jar(bundle));
  }

  private static Path jar(String bundle) throws IOException {
    try (Stream<Path> files = Files.walk(OURS.resolve("holdfast-" + bundle))) {
      return files
          .filter(file -> file.toString().endsWith("-SNAPSHOT.jar"))
          .findFirst()
          .orElseThrow();
    }
  }
}
