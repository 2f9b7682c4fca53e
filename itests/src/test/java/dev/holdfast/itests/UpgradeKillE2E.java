package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The container is killed while it restarts to replace the portal and the bundle that replaces the
 * others, under verified writes: the next start comes up with one of the two versions, whole, and
 * nothing that was acknowledged is lost.
 */
@Tag("soak")
class UpgradeKillE2E {
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final String CURRENT = BundleJars.currentVersion("holdfast-portal");

  /** Earlier than the distribution's, so that the container goes to older content. */
  private static final String OLDER = "0.0.1";

  /** Platform bundles that only a restart replaces, and the one that replaces them. */
  private static final List<String> PLATFORM =
      List.of("dev.holdfast.upgrader", "dev.holdfast.portal");

  private static final Set<String> UNDER_WAY =
      Set.of("RUNNING", "RESTARTING", "VERIFYING", "REVERTING");

  @TempDir Path data;
  private RunningNode node;
  private BundleUpgrades bundles;
  private SteadyWrites client;

  @BeforeEach
  void start() {
    node = RunningNode.of(data.resolve("node")).withJava("-Dholdfast.upgrade.probation.seconds=4");
    node.up().succeeded();
    bundles = new BundleUpgrades(node);
    client = new SteadyWrites(1024, 8, node.volume("written", "16Mi", 2));
    client.awaitProgress();
  }

  @AfterEach
  void stop() throws IOException {
    try {
      client.close();
      client.verify();
      node.ok("volume", "detach", "written");
      node.replicasAgree("written", 2);
    } finally {
      node.close();
    }
  }

  @Test
  void whileTheContainerGoesToAnOlderPortalAndWhatReplacesIt() throws IOException {
    String older =
        BundleUpgrades.archive(
                data,
                OtherVersion.of("holdfast-upgrade", OLDER).in(data),
                OtherVersion.of("holdfast-portal", OLDER).in(data))
            .toString();
    for (String state : List.of("RESTARTING", "VERIFYING")) {
      killed(
          PLATFORM, OLDER, () -> bundles.states().contains(state), "upgrade", older, "--restart");
    }
  }

  /** Kills at a point of what a command does, looks at what comes up, and goes back from there. */
  private void killed(List<String> names, String other, Callable<Boolean> point, String... command)
      throws IOException {
    client.expectDisconnection();
    List<String> words = new ArrayList<>(List.of(command));
    words.addAll(List.of("--timeout", "30"));
    Thread asking = new Thread(() -> node.run(words.toArray(String[]::new)), "asks for it");
    asking.start();
    Await.until("the point of the kill", LIMIT, point);
    node.kill();
    node.up().succeeded();
    client.awaitReconnection();
    Await.until(
        "what was begun has ended",
        LIMIT,
        () -> bundles.states().stream().noneMatch(UNDER_WAY::contains));
    Await.until("the command has ended", LIMIT, () -> !asking.isAlive());
    String came = whole(names);
    System.out.printf("%s: %s came up%n", String.join(" ", command), came);
    assertThat(came).isIn(CURRENT, other);
    client.awaitProgress();
    if (came.equals(other)) {
      client.expectDisconnection();
      bundles.upgrade(true, "--rollback", "--restart");
      client.awaitProgress();
      assertThat(whole(names)).isEqualTo(CURRENT);
    }
  }

  /** Returns the only version of all of them, each of which runs. */
  private String whole(List<String> names) {
    Set<String> found = new HashSet<>();
    names.forEach(name -> found.addAll(bundles.versions(name)));
    assertThat(found).as("what runs of %s", names).hasSize(1);
    String version = found.iterator().next();
    assertThat(version).startsWith("Active ");
    return version.substring("Active ".length());
  }
}
