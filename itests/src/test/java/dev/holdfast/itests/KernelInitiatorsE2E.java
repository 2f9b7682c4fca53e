package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The kernel's own iSCSI initiator and NVMe/TCP host as the judges of a whole container: they
 * discover, connect, and have a filesystem under verified I/O. Replacements of the frontend's
 * bundle break no connection; restarts of the container are stalls and nothing more; the volume
 * grows in use.
 */
@Tag("soak")
class KernelInitiatorsE2E {
  private static final String VOLUME = "judged";
  private static final int REPLACEMENTS = 20;

  @TempDir Path folder;

  @Test
  void iscsiDoesNotNoticeReplacementsAndStallsWhileTheContainerRestarts() throws Exception {
    try (RunningNode node = started()) {
      String target = target(shown(node, "iscsi"));
      judged(node, KernelClient.iscsi(folder, node, target), "frontend-iscsi");
    }
  }

  @Test
  void iscsiContinuesThroughOnePortalWhileTheOtherIsDown() throws Exception {
    try (RunningNode node = started();
        SecondPortal one = SecondPortal.to(node.ports().iscsi());
        SecondPortal other = SecondPortal.to(node.ports().iscsi())) {
      String target = target(shown(node, "iscsi"));
      KernelClient kernel = KernelClient.iscsiByTwo(folder, node, target, one.port(), other.port());
      long broken =
          kernel.during(
              Duration.ZERO,
              client -> {
                for (SecondPortal portal : List.of(one, other)) {
                  client.awaitPaths(2);
                  client.act(portal::goAway);
                  client.awaitPaths(1);
                  client.act(portal::comeBack);
                }
                client.awaitPaths(2);
              });
      assertThat(broken).as("connections that went with their portal").isPositive();
    }
  }

  private static String target(URI endpoint) {
    return endpoint.getPath().substring(1).replaceFirst("/0$", "");
  }

  @Test
  void nvmeDoesNotNoticeReplacementsAndStallsWhileTheContainerRestarts() throws Exception {
    try (RunningNode node = started()) {
      URI endpoint = shown(node, "nvmeof");
      String subsystem = endpoint.getPath().substring(1);
      judged(node, KernelClient.nvmeof(folder, node, subsystem), "frontend-nvmeof");
    }
  }

  private RunningNode started() {
    return RunningNode.start(folder.resolve("data"));
  }

  private static URI shown(RunningNode node, String frontend) {
    node.ok("volume", "create", VOLUME, "--size", "64Mi", "--frontend", frontend);
    return node.attach(VOLUME);
  }

  private void judged(RunningNode node, KernelClient kernel, String bundle) throws Exception {
    Path jar = BundleJars.released("holdfast-" + bundle);
    String update = "bundle:update dev.holdfast." + bundle.replace('-', '.') + " file:" + jar;
    long broken =
        kernel.during(
            Duration.ZERO,
            client -> {
              for (int i = 0; i < REPLACEMENTS / 2; i++) {
                client.act(() -> node.shell(update + "; " + update));
              }
              assertThat(client.broken()).as("connections broken by replacements").isZero();
              client.act(() -> restarted(node, node::kill));
              client.act(() -> restarted(node, () -> node.ok("down")));
              node.ok("volume", "expand", VOLUME, "96Mi");
              client.act(() -> client.grown(96 << 20));
            });
    assertThat(broken).as("connections broken by restarts").isPositive();
    assertThat(Files.readString(folder.resolve("shared/discovered"))).contains(VOLUME);
    node.ok("volume", "detach", VOLUME);
    node.replicasAgree(VOLUME, node.heads(VOLUME).size());
  }

  private static void restarted(RunningNode node, Runnable end) {
    end.run();
    node.up().succeeded();
  }
}
