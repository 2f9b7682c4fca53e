package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code holdfast upgrade} to defective versions. Each upgrade returns to the version before, and a
 * client that writes on one connection during the upgrade sees no error.
 */
class BrokenUpgradeE2E {
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final String FRONTEND = "dev.holdfast.frontend.nbd";
  private static final String ENGINE = "dev.holdfast.engine.sparse";
  private static final String ATTACHER = "dev.holdfast.attacher.csi";
  private static final String CURRENT = BundleJars.currentVersion("holdfast-engine-sparse");
  private static final String NEXT = "99.0.0";

  /** Longer than any test: nothing here is to pass it. */
  private static final int PROBATION_SECONDS = 600;

  @TempDir static Path data;
  private static UpgradedNode upgraded;
  private static RunningNode node;
  private static BundleUpgrades bundles;
  private static SteadyWrites client;

  @BeforeAll
  static void start() {
    upgraded = UpgradedNode.start(data, PROBATION_SECONDS);
    node = upgraded.node();
    bundles = upgraded.bundles();
    client = upgraded.client();
  }

  @AfterAll
  static void stop() throws IOException {
    if (upgraded != null) {
      upgraded.close();
    }
  }

  @AfterEach
  void clientContinues() {
    for (String bundle : List.of(FRONTEND, ENGINE, ATTACHER)) {
      assertThat(bundles.versions(bundle)).containsExactly("Active " + CURRENT);
    }
    client.awaitProgress();
  }

  private static JsonNode goesBack(String file) throws IOException {
    JsonNode failed = bundles.upgrade(false, file);
    assertThat(failed.path("state").asText()).isEqualTo("WENT_BACK");
    client.awaitProgress();
    return failed;
  }

  @Test
  void versionsThatDoNotStartAreRolledBack() throws IOException {
    for (String artifact :
        List.of("holdfast-attacher-csi", "holdfast-frontend-nbd", "holdfast-engine-sparse")) {
      JsonNode failed = goesBack(OtherVersion.of(artifact, NEXT).broken().in(data));
      assertThat(failed.path("reason").asText()).contains("planted.no.such.Activator");
    }
  }

  @Test
  void frontendsThatThrowOrHangDuringATakeoverAreRolledBack() throws IOException {
    FrontendVersions versions = new FrontendVersions(data.resolve("frontends"));
    assertThat(goesBack(versions.thatThrows().jar().toString()).path("reason").asText())
        .contains("broken");
    assertThat(goesBack(versions.thatHangs().jar().toString()).path("reason").asText())
        .contains("did not return");
  }

  @Test
  void enginesThatThrowOrHangDuringATakeoverAreRolledBack() throws IOException {
    BundleJars jars = new BundleJars(data);
    assertThat(
            goesBack(jars.broken("98.0.1", BrokenEngine.THROWS).toString()).path("reason").asText())
        .contains("broken");
    assertThat(
            goesBack(jars.broken("98.0.2", BrokenEngine.HANGS).toString()).path("reason").asText())
        .contains("did not return");
  }

  @Test
  void versionThatFailsInItsProbationIsRolledBackUnnoticed() throws Exception {
    for (String artifact : List.of("holdfast-frontend-nbd", "holdfast-engine-sparse")) {
      String bundle = artifact.replace("holdfast-", "dev.holdfast.").replace("-", ".");
      String file = OtherVersion.of(artifact, NEXT).in(data);
      CompletableFuture<Command.Result> upgrading =
          CompletableFuture.supplyAsync(() -> node.run("upgrade", "-o", "json", file));
      Await.until("it runs", LIMIT, () -> bundles.versions(bundle).contains("Active " + NEXT));
      client.awaitProgress();
      node.shell("bundle:stop " + bundle + "/" + NEXT);
      assertThat(upgrading.get().failed().out()).contains("WENT_BACK");
      assertThat(bundles.versions(bundle)).containsExactly("Active " + CURRENT);
      client.awaitProgress();
    }
  }
}
