package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The kernel's own NBD client as the judge: a filesystem on its device sees a stall and nothing
 * else, whatever is done to the container.
 */
class KernelNbdE2E {
  private static final String VOLUME = "judged";
  private static final boolean SOAK = Boolean.getBoolean("holdfast.soak");

  @TempDir Path folder;

  @Test
  void restartsOfTheContainerAreStallsAndNothingMore() throws Exception {
    try (RunningNode node = RunningNode.start(folder.resolve("data"))) {
      node.volume(VOLUME, "256Mi", 3);
      KernelClient client = new KernelClient(folder, node.ports().nbd(), VOLUME, 3);
      if (SOAK) {
        client.during(Duration.ofMinutes(10), () -> replace(node));
      } else {
        client.once(() -> killed(node), () -> restarted(node));
      }
      assertThat(client.reconnections()).as("broken connections that were replaced").isPositive();
      node.ok("volume", "detach", VOLUME);
      node.replicasAgree(VOLUME, 3);
    }
  }

  private static void replace(RunningNode node) {
    killed(node);
    restarted(node);
  }

  private static void killed(RunningNode node) {
    node.kill();
    node.up().succeeded();
  }

  private static void restarted(RunningNode node) {
    node.ok("down");
    node.up().succeeded();
  }
}
