package dev.holdfast.upgrader.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.osgi.framework.Bundle;
import org.osgi.framework.startlevel.BundleStartLevel;

/** Features, releases and coordinates: sources with several bundles, and their search. */
class FeatureUpgradeTest extends UpgradeFixture {
  private static final String OTHER = "dev.holdfast.attacher.other";
  private static final String SURPLUS = "dev.holdfast.attacher.surplus";
  private static final String LIBRARY = "org.example.library";

  private static TestJar needingTheLibrary() {
    return TestJar.of(PLUGIN, "1.1.0").header("Import-Package", LIBRARY);
  }

  private static TestJar library() {
    return TestJar.of(LIBRARY, "3.0.0").header("Export-Package", LIBRARY + ";version=\"3.0\"");
  }

  /** Writes a bundle into a folder in Maven's layout. */
  private static void publish(Path repository, String artifact, TestJar jar) throws IOException {
    Path place =
        repository.resolve("org/example/" + artifact + "/1.1.0/" + artifact + "-1.1.0.jar");
    Files.createDirectories(place.getParent());
    Files.move(jar.in(place.getParent()), place);
  }

  private static Path features(Path file, String name) throws IOException {
    Files.createDirectories(file.getParent());
    return Files.writeString(
        file,
        """
        <features name="x" xmlns="http://karaf.apache.org/xmlns/features/v1.6.0">
          <feature name="%s">
            <bundle start-level="70">mvn:org.example/plugin/1.1.0</bundle>
            <bundle start-level="85">mvn:org.example/other/1.1.0</bundle>
          </feature>
        </features>
        """
            .formatted(name));
  }

  private Path archive(String name, TestJar... jars) throws IOException {
    Path file = folder.resolve(name);
    try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(file))) {
      for (int i = 0; i < jars.length; i++) {
        zip.putNextEntry(new ZipEntry("repository/../../../../" + i + ".jar"));
        zip.write(Files.readAllBytes(jars[i].in(folder)));
      }
    }
    return file;
  }

  private void bothAre(String version) {
    assertThat(versions()).containsExactly(version);
    assertThat(versions(OTHER)).containsExactly(version);
  }

  private void installBoth() throws Exception {
    Bundle unused = install(TestJar.of(PLUGIN, "1.0.0"));
    Bundle second = install(TestJar.of(OTHER, "1.0.0"));
    assertThat(second.getState()).isEqualTo(Bundle.ACTIVE);
  }

  private Operation apply(Object source) {
    return request(UpgradeRequest.Action.APPLY, source.toString());
  }

  private static void isDone(Operation operation) {
    assertThat(operation.state()).as(operation.reason()).isEqualTo(Operation.State.DONE);
  }

  @Test
  void aFeatureArchiveBringsTheLibraryThatIsNotThereAndTakesItAwayAgain() throws Exception {
    installBoth();
    isDone(apply(archive("f.kar", needingTheLibrary(), TestJar.of(OTHER, "1.1.0"), library())));
    bothAre("1.1.0");
    assertThat(versions(LIBRARY)).containsExactly("3.0.0");

    isDone(request(UpgradeRequest.Action.ROLLBACK, ""));
    bothAre("1.0.0");
    assertThat(versions(LIBRARY)).isEmpty();
  }

  @Test
  void aLibraryThatIsThereStaysAsItIs() throws Exception {
    installBoth();
    Bundle unused = install(TestJar.of(LIBRARY, "2.0.0"));
    isDone(apply(archive("f.kar", TestJar.of(PLUGIN, "1.1.0"), library())));
    assertThat(versions(LIBRARY)).containsExactly("2.0.0");
  }

  @Test
  void oneFailedStepRollsBackAllSteps() throws Exception {
    installBoth();
    Operation failed =
        apply(
            archive(
                "f.kar",
                library(),
                needingTheLibrary(),
                TestJar.of(OTHER, "1.1.0").startedBy(FailingActivator.class)));
    assertThat(failed.state()).isEqualTo(Operation.State.WENT_BACK);
    bothAre("1.0.0");
    assertThat(versions(LIBRARY)).isEmpty();
  }

  @Test
  void aFeatureFileHasItsBundlesInTheRepositoryThatItLiesIn() throws Exception {
    installBoth();
    Path repository = folder.resolve("somewhere/repository");
    publish(repository, "plugin", TestJar.of(PLUGIN, "1.1.0"));
    publish(repository, "other", TestJar.of(OTHER, "1.1.0"));
    isDone(apply(features(repository.resolve("org/example/f/1.1.0/f.xml"), "all")));
    bothAre("1.1.0");
  }

  private int level(String symbolicName) {
    return Arrays.stream(context().getBundles())
        .filter(bundle -> symbolicName.equals(bundle.getSymbolicName()))
        .findFirst()
        .orElseThrow()
        .adapt(BundleStartLevel.class)
        .getStartLevel();
  }

  @Test
  void newBundlesOfAFeatureFileGetTheStartLevelsThatItNames() throws Exception {
    raiseStartLevel();
    Path repository = folder.resolve("somewhere/repository");
    publish(repository, "plugin", TestJar.of(PLUGIN, "1.1.0"));
    publish(repository, "other", TestJar.of(OTHER, "1.1.0"));
    isDone(apply(features(repository.resolve("org/example/f/1.1.0/f.xml"), "all")));
    assertThat(level(PLUGIN)).isEqualTo(70);
    assertThat(level(OTHER)).isEqualTo(85);
  }

  @Test
  void newBundlesOfAFeatureArchiveGetTheStartLevelsThatItsFeatureNames() throws Exception {
    raiseStartLevel();
    Path file = folder.resolve("f.kar");
    String place = "repository/org/example/%1$s/1.1.0/%1$s-1.1.0.jar";
    try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(file))) {
      add(zip, place.formatted("plugin"), TestJar.of(PLUGIN, "1.1.0").in(folder));
      add(zip, place.formatted("other"), TestJar.of(OTHER, "1.1.0").in(folder));
      add(zip, "repository/f.xml", features(folder.resolve("f.xml"), "all"));
    }
    isDone(apply(file));
    assertThat(level(PLUGIN)).isEqualTo(70);
    assertThat(level(OTHER)).isEqualTo(85);
  }

  private static void add(ZipOutputStream zip, String name, Path content) throws IOException {
    zip.putNextEntry(new ZipEntry(name));
    zip.write(Files.readAllBytes(content));
  }

  @Test
  void bundlesThatARollbackBringsBackHaveTheirStartLevels() throws Exception {
    raiseStartLevel();
    installBoth();
    Bundle surplus = install(TestJar.of(SURPLUS, "1.0.0"));
    surplus.adapt(BundleStartLevel.class).setStartLevel(85);
    Path release = folder.resolve("holdfast-1.1.0");
    publish(release.resolve("system"), "plugin", TestJar.of(PLUGIN, "1.1.0"));
    publish(release.resolve("system"), "other", TestJar.of(OTHER, "1.1.0"));
    Path unused =
        features(
            release.resolve(
                "system/dev/holdfast/holdfast-features/1.1.0/holdfast-features-1.1.0-features.xml"),
            "holdfast");
    isDone(apply(release));
    assertThat(versions(SURPLUS)).isEmpty();
    isDone(request(UpgradeRequest.Action.ROLLBACK, ""));
    assertThat(versions(SURPLUS)).containsExactly("1.0.0");
    assertThat(level(SURPLUS)).isEqualTo(85);
  }

  @Test
  void coordinatesAreFoundInFoldersAndNowhereElse() throws Exception {
    installBoth();
    publish(folder.resolve("data/upgrade/repository"), "plugin", TestJar.of(PLUGIN, "1.1.0"));
    publish(folder.resolve("shared"), "other", TestJar.of(OTHER, "1.1.0"));
    isDone(apply("org.example:plugin:1.1.0"));
    isDone(apply("org.example:other:1.1.0"));
    bothAre("1.1.0");

    for (String absent : List.of("org.example:absent:1.1.0", "org.example:../../other:1.1.0")) {
      Operation refused = apply(absent);
      assertThat(refused.state()).isEqualTo(Operation.State.REFUSED);
      assertThat(refused.reason()).contains(absent, folder.resolve("shared").toString());
    }
    assertThat(apply("http://localhost/plugin.jar").reason()).contains("not from a network");
    assertThat(apply("nonsense").reason()).contains("group:artifact:version");
  }

  @Test
  void deployedFileIsInstalledOnceAndUndoneWhenTheFileIsRemoved() throws Exception {
    installBoth();
    DeployedFeatures deployed = new DeployedFeatures(upgrades);
    Path kar = archive("dropped.kar", TestJar.of(PLUGIN, "1.1.0"), TestJar.of(OTHER, "1.1.0"));
    assertThat(deployed.canHandle(kar.toFile())).isTrue();
    assertThat(deployed.canHandle(features(folder.resolve("f.xml"), "f").toFile())).isTrue();
    Path other = Files.writeString(folder.resolve("blueprint.xml"), "<blueprint/>");
    assertThat(deployed.canHandle(other.toFile())).isFalse();

    deployed.install(kar.toFile());
    await(() -> upgrades.lastDone().isPresent());
    bothAre("1.1.0");
    deployed.install(kar.toFile());
    assertThat(upgrades.operations()).hasSize(1);

    deployed.uninstall(kar.toFile());
    await(() -> upgrades.lastDone().isEmpty());
    bothAre("1.0.0");
  }

  @Test
  void aReleaseIsItsFolderOrItsArchive() throws Exception {
    installBoth();
    Path release = folder.resolve("holdfast-1.1.0");
    Path system = release.resolve("system");
    publish(system, "plugin", TestJar.of(PLUGIN, "1.1.0"));
    publish(system, "other", TestJar.of(OTHER, "1.1.0"));
    Path unused =
        features(
            system.resolve(
                "dev/holdfast/holdfast-features/1.1.0/holdfast-features-1.1.0-features.xml"),
            "holdfast");
    isDone(apply(release));
    bothAre("1.1.0");
    isDone(request(UpgradeRequest.Action.ROLLBACK, ""));
    bothAre("1.0.0");

    Bundle surplus = install(TestJar.of(SURPLUS, "1.0.0"));
    Bundle anothers = install(TestJar.of(LIBRARY, "2.0.0"));
    isDone(apply(release));
    assertThat(surplus.getState()).isEqualTo(Bundle.UNINSTALLED);
    assertThat(anothers.getState()).isEqualTo(Bundle.ACTIVE);
    isDone(request(UpgradeRequest.Action.ROLLBACK, ""));
    bothAre("1.0.0");
    assertThat(versions(SURPLUS)).containsExactly("1.0.0");

    Path archive = folder.resolve("release.tar.gz");
    Process tar =
        new ProcessBuilder("tar", "-czf", archive.toString(), release.getFileName().toString())
            .directory(folder.toFile())
            .start();
    assertThat(tar.waitFor()).isZero();
    isDone(apply(archive));
    bothAre("1.1.0");
    assertThat(apply(folder.resolve("cache")).reason()).contains("not a distribution");
  }

  @Test
  void releaseThatNeedsARestartRemovesBundlesFirstSoThatARollbackInstallsThemFirst()
      throws Exception {
    Bundle portal = install(TestJar.of(PLUGIN, "1.0.0").startedBy(PortalActivator.class));
    Bundle surplus = install(TestJar.of(SURPLUS, "1.0.0"));
    Path release = folder.resolve("holdfast-1.1.0");
    publish(release.resolve("system"), "plugin", TestJar.of(PLUGIN, "1.1.0"));
    publish(release.resolve("system"), "other", TestJar.of(OTHER, "1.1.0"));
    Path unused =
        features(
            release.resolve(
                "system/dev/holdfast/holdfast-features/1.1.0/holdfast-features-1.1.0-features.xml"),
            "holdfast");

    Operation planned = request(UpgradeRequest.Action.PLAN, release.toString());

    assertThat(planned.steps())
        .extracting(UpgradeStep::bundle, UpgradeStep::way)
        .containsExactly(
            tuple(SURPLUS, ReplacementStrategy.REMOVE),
            tuple(PLUGIN, ReplacementStrategy.AT_RESTART),
            tuple(OTHER, ReplacementStrategy.INSTALL));
    assertThat(List.of(portal.getState(), surplus.getState())).containsOnly(Bundle.ACTIVE);
  }
}
