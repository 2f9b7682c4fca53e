package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The container is killed under verified writes, while an engine is replaced, and while it restarts
 * to replace the portal and the upgrader itself. The next start uses one of the two versions
 * completely, and no acknowledged write is lost.
 */
@Tag("soak")
class UpgradeKillE2E {
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final String CURRENT = BundleJars.currentVersion("holdfast-portal");

  private static final String NEXT = "99.0.0";

  /** Earlier than the distribution's, so that the container moves to older content. */
  private static final String OLDER = "0.0.1";

  private static final List<String> ENGINE = List.of("dev.holdfast.engine.sparse");

  /** Platform bundles that only a restart replaces, and the one that replaces them. */
  private static final List<String> PLATFORM =
      List.of("dev.holdfast.upgrader", "dev.holdfast.portal");

  private static final Set<String> UNDER_WAY =
      Set.of("RUNNING", "RESTARTING", "VERIFYING", "REVERTING");

  @TempDir Path data;
  private UpgradedNode upgraded;
  private RunningNode node;
  private BundleUpgrades bundles;
  private SteadyWrites client;

  @BeforeEach
  void start() {
    upgraded = UpgradedNode.start(data, 4);
    node = upgraded.node();
    bundles = upgraded.bundles();
    client = upgraded.client();
  }

  @AfterEach
  void stop() throws IOException {
    if (upgraded != null) {
      upgraded.close();
    }
  }

  @Test
  void whileAnEngineIsReplacedBeside() throws IOException {
    String file = OtherVersion.of("holdfast-engine-sparse", NEXT).in(data);
    killed(ENGINE, NEXT, () -> bundles.states().contains("RUNNING"), "upgrade", file);
    killed(ENGINE, NEXT, logged("resumed in bundle"), "upgrade", file);
  }

  @Test
  void killWhileTheContainerReturnsToAnOlderPortalAndUpgrader() throws IOException {
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

  /**
   * Returns a condition: the log contains more lines with the text than at the time of this call.
   */
  private Callable<Boolean> logged(String text) {
    long before = count(text);
    return () -> count(text) > before;
  }

  private long count(String text) {
    return node.log().lines().filter(line -> line.contains(text)).count();
  }

  /**
   * Kills the container at a point of a command, checks the versions after the restart, and rolls
   * back.
   */
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
    List<String> found = bundles.versions(names);
    assertThat(found).as("what runs of %s", names).hasSameSizeAs(names);
    assertThat(Set.copyOf(found)).as("what runs of %s", names).hasSize(1);
    String version = found.get(0);
    assertThat(version).startsWith("Active ");
    return version.substring("Active ".length());
  }
}
