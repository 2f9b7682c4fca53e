package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Bundles of a running node are replaced while a client writes, reads and flushes. */
class UpgradeE2E {
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final String CSI = "dev.holdfast.attacher.csi";
  private static final String CURRENT = BundleJars.currentVersion("holdfast-attacher-csi");
  private static final String NEXT = "99.0.0";

  /** Shorter than useful in production, longer than the steps that the tests do within it. */
  private static final int PROBATION_SECONDS = 4;

  @TempDir static Path data;
  private static UpgradedNode upgraded;
  private static RunningNode node;
  private static BundleUpgrades bundles;
  private static SteadyWrites client;

  private static Path socket() {
    return data.resolve("csi.sock");
  }

  @BeforeAll
  static void start() {
    upgraded = UpgradedNode.start(data, PROBATION_SECONDS, "--csi", socket().toString());
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

  /** One client outlives all replacements, on the same connection unless the node is killed. */
  @AfterEach
  void clientContinues() {
    client.awaitProgress();
  }

  private void goesForwardAndBack(String artifact, String bundle, String way) throws IOException {
    List<String> before = bundles.versions(bundle);
    String file = OtherVersion.of(artifact, NEXT).in(data);
    JsonNode planned = bundles.upgrade(true, file, "--plan");
    assertThat(planned.at("/steps/0/way").asText()).isEqualTo(way);
    assertThat(planned.at("/steps/0/pause").asText()).isNotEmpty();
    assertThat(bundles.versions(bundle)).isEqualTo(before);

    assertThat(bundles.upgrade(true, file).path("state").asText()).isEqualTo("DONE");
    assertThat(bundles.versions(bundle)).containsExactly("Active " + NEXT);
    client.awaitProgress();

    assertThat(bundles.upgrade(true, "--rollback").path("state").asText()).isEqualTo("DONE");
    assertThat(bundles.versions(bundle)).isEqualTo(before);
  }

  @Test
  void anAttacherIsReplacedAndTakenBack() throws IOException {
    goesForwardAndBack("holdfast-attacher-csi", CSI, "IN_PLACE");
  }

  /** ThreeNodesE2E does it on several nodes in each run. */
  @Tag("soak")
  @Test
  void thePlatformIsReplacedAndTheDataPathDoesNotNotice() throws IOException {
    PlatformBundles platform = new PlatformBundles(node, socket());
    String archive = platform.archive(data, NEXT);
    long opened = platform.openings(UpgradedNode.VOLUME);
    JsonNode planned = bundles.upgrade(true, archive, "--plan");
    assertThat(planned.findValuesAsText("bundle"))
        .containsExactlyInAnyOrderElementsOf(platform.names());
    assertThat(planned.findValuesAsText("way")).containsOnly("IN_PLACE");
    assertThat(planned.findValuesAsText("pause"))
        .containsOnly("none: the data path does not use it");

    assertThat(bundles.upgrade(true, archive).path("state").asText()).isEqualTo("DONE");
    platformWorks(platform, NEXT);
    platform.updateToReleased(NEXT);
    platformWorks(platform, CURRENT);
    assertThat(platform.openings(UpgradedNode.VOLUME))
        .as("how often the client's volume was opened")
        .isEqualTo(opened);
  }

  private static void platformWorks(PlatformBundles platform, String version) {
    assertThat(bundles.versions(platform.names()))
        .hasSameSizeAs(platform.names())
        .containsOnly("Active " + version);
    platform.serve("asked-of-" + version);
    client.awaitProgress();
  }

  @Test
  void theFrontendIsReplacedBesideAndTakenBack() throws IOException {
    goesForwardAndBack("holdfast-frontend-nbd", "dev.holdfast.frontend.nbd", "SIDE_BY_SIDE");
  }

  @Test
  void theEngineIsReplacedBesideAndTakenBack() throws IOException {
    goesForwardAndBack("holdfast-engine-sparse", "dev.holdfast.engine.sparse", "SIDE_BY_SIDE");
  }

  @Test
  void aPlainUpdateThatFailsGoesBackByItself() {
    String broken = OtherVersion.of("holdfast-attacher-csi", NEXT).broken().in(data);
    String id =
        node.shell("bundle:list -t 0 -s --no-format")
            .lines()
            .filter(line -> line.strip().endsWith(CSI))
            .map(line -> line.strip().split("\\s+", 2)[0])
            .findFirst()
            .orElseThrow();
    node.tryShell("bundle:update " + id + " file:" + broken).failed();
    Await.until(
        "the jar before is back",
        LIMIT,
        () -> bundles.versions(CSI).equals(List.of("Active " + CURRENT)));
    Await.until(
        "the node tells of it",
        LIMIT,
        () -> node.ok("upgrade", "--status").contains("bundle:update " + CSI + ": went back"));
  }

  @Test
  void aJarInDeployRunsUntilItIsTakenAway() throws IOException {
    Path jar = Path.of(OtherVersion.of("holdfast-attacher-csi", NEXT).in(data));
    Path deployed = node.data().resolve("karaf/deploy/csi.jar");
    Files.move(jar, deployed, StandardCopyOption.ATOMIC_MOVE);
    Await.until(
        "the higher version runs", LIMIT, () -> bundles.versions(CSI).contains("Active " + NEXT));
    client.awaitProgress();
    Files.delete(deployed);
    Await.until(
        "the one before runs again",
        LIMIT,
        () -> bundles.versions(CSI).equals(List.of("Active " + CURRENT)));
  }

  @Test
  void aFeatureInDeployIsTakenWithAllItsBundlesAndBackWithTheFile() throws IOException {
    Path feature =
        BundleUpgrades.archive(
            data,
            OtherVersion.of("holdfast-attacher-csi", NEXT).in(data),
            OtherVersion.of("holdfast-attacher-api", NEXT).in(data));
    Path deployed = node.data().resolve("karaf/deploy/attachers.kar");
    Files.move(feature, deployed, StandardCopyOption.ATOMIC_MOVE);
    for (String bundle : List.of(CSI, "dev.holdfast.attacher.api")) {
      Await.until(
          bundle + " is replaced",
          LIMIT,
          () -> bundles.versions(bundle).equals(List.of("Active " + NEXT)));
    }
    Await.until("it is done", LIMIT, () -> node.ok("upgrade", "--status").contains(".kar: done"));
    client.awaitProgress();
    Files.delete(deployed);
    for (String bundle : List.of(CSI, "dev.holdfast.attacher.api")) {
      Await.until(
          bundle + " is as before",
          LIMIT,
          () -> bundles.versions(bundle).equals(List.of("Active " + CURRENT)));
    }
    Await.until(
        "it is taken back", LIMIT, () -> node.ok("upgrade", "--status").contains("rolled back"));
  }

  @Test
  void coordinatesAreFoundInTheNodesOwnRepository() throws IOException {
    String jar = BundleJars.released("holdfast-attacher-csi").getFileName().toString();
    String version = jar.substring("holdfast-attacher-csi-".length(), jar.length() - 4);
    String coordinates = "dev.holdfast:holdfast-attacher-csi:" + version;
    assertThat(bundles.upgrade(true, coordinates, "--plan").at("/steps/0/way").asText())
        .isEqualTo("NOTHING");
    Path folder = Files.createDirectories(node.data().resolve("upgrade/repository"));
    Files.move(
        Path.of(OtherVersion.of("holdfast-attacher-csi", NEXT).in(data)),
        folder.resolve("attacher-csi-next.jar"));
    assertThat(
            bundles.upgrade(true, "dev.example:attacher-csi:next", "--plan").at("/steps/0/version"))
        .hasToString("\"" + NEXT + "\"");
    assertThat(bundles.upgrade(false, "dev.example:absent:1").path("reason").asText())
        .contains("dev.example:absent:1", "upgrade/repository");
  }

  @Test
  void thePortalAndTheBlockApiAreNotReplacedWithoutBeingAllowedToRestart() throws IOException {
    for (String name : List.of("portal", "block-api")) {
      String bundle = "dev.holdfast." + name.replace("-api", "");
      String file = OtherVersion.of("holdfast-" + name, NEXT).in(data);
      assertThat(bundles.upgrade(true, file, "--plan").at("/steps/0/way").asText())
          .isEqualTo("AT_RESTART");
      JsonNode refused = bundles.upgrade(false, file);
      assertThat(refused.path("state").asText()).isEqualTo("REFUSED");
      assertThat(refused.path("reason").asText()).contains(bundle, "--restart");
      assertThat(bundles.versions(bundle)).containsExactly("Active " + CURRENT);
    }
  }

  @Test
  void atARestartThePortalIsReplacedAndWhatReplacesItToo() throws IOException {
    String both =
        BundleUpgrades.archive(
                data,
                OtherVersion.of("holdfast-upgrade", NEXT).in(data),
                OtherVersion.of("holdfast-portal", NEXT).in(data))
            .toString();
    client.expectDisconnection();
    assertThat(bundles.upgrade(true, both, "--restart").path("state").asText()).isEqualTo("DONE");
    client.awaitReconnection();
    for (String bundle : List.of("dev.holdfast.upgrader", "dev.holdfast.portal")) {
      assertThat(bundles.versions(bundle)).containsExactly("Active " + NEXT);
    }
    client.expectDisconnection();
    assertThat(bundles.upgrade(true, "--rollback", "--restart").path("state").asText())
        .isEqualTo("DONE");
    client.awaitReconnection();
    for (String bundle : List.of("dev.holdfast.upgrader", "dev.holdfast.portal")) {
      assertThat(bundles.versions(bundle)).containsExactly("Active " + CURRENT);
    }
  }

  @Test
  void aPluginForNewerContractsIsRefused() throws IOException {
    String file =
        OtherVersion.of("holdfast-attacher-csi", NEXT)
            .header("Import-Package", "dev.holdfast.attacher;version=\"[9.0,10)\"")
            .in(data);
    JsonNode refused = bundles.upgrade(false, file);
    assertThat(refused.path("reason").asText())
        .contains("dev.holdfast.attacher", "[9.0.0,10.0.0)", "upgrade the platform first");
    assertThat(bundles.versions(CSI)).containsExactly("Active " + CURRENT);
  }

  @Test
  void pluginsForAnEarlierMajorAreRefusedWithTheRemedy() throws IOException {
    for (String plugin : List.of("attacher", "engine")) {
      Path jar = KeptPlugins.FOLDER.resolve("old-" + plugin + "-for-0.1.0.jar");
      JsonNode refused = bundles.upgrade(false, jar.toString());
      assertThat(refused.path("state").asText()).isEqualTo("REFUSED");
      assertThat(refused.path("reason").asText()).containsPattern(refusal(plugin));
      Command.Result installed = node.tryShell("bundle:install -s file:" + jar);
      assertThat(installed.out() + installed.err()).containsPattern(refusal(plugin));
      assertThat(bundles.versions("dev.example.old." + plugin)).containsExactly("Installed 1.0.0");
      node.shell("bundle:uninstall dev.example.old." + plugin);
    }
  }

  /** The refusal of a plugin for an earlier major, with any present minor version. */
  private static Pattern refusal(String plugin) {
    String contract =
        "dev.holdfast.%s in version [1.0.0,2.0.0), this platform offers ".formatted(plugin);
    return Pattern.compile(
        Pattern.quote("dev.example.old.%s 1.0.0 needs package ".formatted(plugin) + contract)
            + "2\\.\\d+\\.0"
            + Pattern.quote(
                ": install a version of the bundle that was built for this platform;"
                    + " docs/releases.md lists the old and the new names"));
  }

  @Test
  void pluginsKeptFromReleasesOfThePresentMajorsRun() throws IOException {
    assumeThat(KeptPlugins.jars()).as("kept plugins for the present majors").isNotEmpty();
    KeptPlugins kept = new KeptPlugins(node);
    for (Path jar : KeptPlugins.jars()) {
      JsonNode done = bundles.upgrade(true, jar.toString());
      assertThat(done.path("state").asText()).as(jar.toString()).isEqualTo("DONE");
      kept.works(jar);
      node.shell("bundle:uninstall " + done.at("/steps/0/bundle").asText());
    }
  }

  @Test
  void aKillInTheMiddleLeavesOneOfTheTwoVersionsWhole() throws IOException {
    killInTheMiddle("holdfast-frontend-nbd", "dev.holdfast.frontend.nbd");
  }

  @Test
  @Tag("soak")
  void aKillInTheMiddleOfAReplacementInPlaceDoesSoToo() throws IOException {
    killInTheMiddle("holdfast-attacher-csi", CSI);
  }

  private void killInTheMiddle(String artifact, String bundle) throws IOException {
    String file = OtherVersion.of(artifact, NEXT).in(data);
    client.expectDisconnection();
    Thread asking = new Thread(() -> node.run("upgrade", file, "--timeout", "30"));
    asking.start();
    Await.until("the upgrade has begun", LIMIT, () -> bundles.states().contains("RUNNING"));
    node.kill();
    node.up().succeeded();
    client.awaitReconnection();
    assertThat(bundles.states()).doesNotContain("RUNNING");
    assertThat(bundles.versions(bundle)).containsExactly("Active " + CURRENT);
    Await.until("the command has ended", LIMIT, () -> !asking.isAlive());
  }
}
