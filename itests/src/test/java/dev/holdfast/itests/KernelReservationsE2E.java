package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Persistent reservations with the kernel's own iSCSI initiator and NVMe/TCP host as the judges: of
 * two initiators that write to one volume, one fences the other. The writes of the fenced initiator
 * end with a reservation conflict, also after the container was killed and restarted. The writes of
 * the other one continue.
 */
@Tag("soak")
class KernelReservationsE2E {
  private static final String VOLUME = "fenced";

  @TempDir Path folder;

  @Test
  void fencedIscsiInitiatorCannotWriteAndTheOtherContinues() throws Exception {
    try (RunningNode node = RunningNode.start(folder.resolve("data"))) {
      String target = shown(node, "iscsi").getPath().substring(1).replaceFirst("/0$", "");
      String said = judged(node, KernelClient.iscsiPair(folder, node, target));
      assertThat(said).contains("Write Exclusive, registrants only", "0xa1");
    }
  }

  @Test
  void fencedNvmeHostCannotWriteAndTheOtherContinues() throws Exception {
    try (RunningNode node = RunningNode.start(folder.resolve("data"))) {
      String subsystem = shown(node, "nvmeof").getPath().substring(1);
      String said = judged(node, KernelClient.nvmeofPair(folder, node, subsystem));
      assertThat(said).contains("regctl    : 1", "rtype     : 3");
    }
  }

  private static URI shown(RunningNode node, String frontend) {
    node.ok("volume", "create", VOLUME, "--size", "64Mi", "--frontend", frontend);
    return node.attach(VOLUME);
  }

  private static String judged(RunningNode node, KernelClient kernel) throws Exception {
    long broken =
        kernel.during(
            Duration.ZERO,
            client -> {
              client.act(client::fenced);
              client.act(() -> restarted(node, node::kill));
              client.act(() -> restarted(node, () -> node.ok("down")));
            });
    assertThat(broken).as("connections broken by restarts").isPositive();
    assertThat(kernel.said()).contains("who registers again may write");
    return kernel.said();
  }

  private static void restarted(RunningNode node, Runnable end) {
    end.run();
    node.up().succeeded();
  }
}
