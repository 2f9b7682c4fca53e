package dev.holdfast.upgrader.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleException;
import org.osgi.framework.wiring.BundleRevision;

/** Bundles that were built for another major version of the platform's packages. */
class IncompatibleBundlesTest extends UpgradeFixture {
  private static final String API = "dev.holdfast.engine";
  private static final String OTHER = "dev.holdfast.engine.other";

  private static TestJar api(String version) {
    return TestJar.of(API, version)
        .header("Export-Package", API + ";version=\"" + version + "\";uses:=\"" + API + ",a.b\"");
  }

  private static TestJar pluginFor(String name, String version, String range) {
    return TestJar.of(name, version).header("Import-Package", API + ";version=\"" + range + "\"");
  }

  private Path archive(TestJar... jars) throws IOException {
    Path file = Files.createTempFile(folder, "feature", ".kar");
    try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(file))) {
      for (int i = 0; i < jars.length; i++) {
        zip.putNextEntry(new ZipEntry("repository/" + i + ".jar"));
        zip.write(Files.readAllBytes(jars[i].in(folder)));
      }
    }
    return file;
  }

  private Operation apply(TestJar... jars) throws IOException {
    return request(UpgradeRequest.Action.APPLY, archive(jars).toString());
  }

  private static String refused(Operation operation) {
    assertThat(operation.state()).isEqualTo(Operation.State.REFUSED);
    return operation.reason();
  }

  @Test
  void upgradeRejectsPluginForAnEarlierMajorAndNamesTheRemedy() throws Exception {
    Bundle api = install(api("2.0.0"));
    assertThat(refused(upgrade(pluginFor(PLUGIN, "1.1.0", "[1.2,2)"))))
        .contains(
            PLUGIN + " 1.1.0 needs package " + API + " in version [1.2.0,2.0.0)",
            "this platform offers 2.0.0",
            "was built for this platform; docs/releases.md lists the old and the new names")
        .doesNotContain("upgrade the platform first");
    assertThat(versions()).isEmpty();
    assertThat(api.getState()).isEqualTo(Bundle.ACTIVE);
  }

  @Test
  void upgradeRejectsPluginForALaterMajorAndRequiresThePlatformFirst() throws Exception {
    Bundle unused = install(api("2.0.0"));
    assertThat(refused(upgrade(pluginFor(PLUGIN, "1.1.0", "[3.0,4)"))))
        .contains("[3.0.0,4.0.0), this platform offers 2.0.0: upgrade the platform first");
  }

  @Test
  void upgradeRejectsPluginForARemovedPackage() throws Exception {
    assertThat(refused(upgrade(pluginFor(PLUGIN, "1.1.0", "[1.2,2)"))))
        .contains("this platform offers no such package");
  }

  @Test
  void installedPluginForAnEarlierMajorCannotStartAndTheMessageNamesTheRemedy() throws Exception {
    Bundle unused = install(api("2.0.0"));
    assertThatThrownBy(() -> install(pluginFor("acme.plugin", "1.1.0", "[1.2,2)")))
        .isInstanceOf(BundleException.class)
        .hasMessageContaining(
            "acme.plugin 1.1.0 needs package " + API + " in version [1.2.0,2.0.0)")
        .hasMessageContaining("this platform offers 2.0.0: install a version of the bundle");
    assertThat(install(pluginFor(PLUGIN, "1.1.0", "[2.0,3)")).getState()).isEqualTo(Bundle.ACTIVE);
  }

  /**
   * The framework may call the hook while this bundle is being replaced, and must be able to start
   * others.
   */
  @Test
  void stoppedBundleDoesNotPreventTheStartOfOthers() throws Exception {
    Bundle self = install(TestJar.of("dev.holdfast.example.self", "1.0.0"));
    IncompatibleBundles hook = new IncompatibleBundles(self.getBundleContext());
    self.stop();
    Bundle other = install(TestJar.of("dev.holdfast.example.other", "1.0.0"));

    assertThat(hook.begin(List.of(other.adapt(BundleRevision.class)))).isNull();
  }

  @Test
  void changeThatTakesPackagesFromABundleThatStaysIsRefused() throws Exception {
    Bundle unused = install(api("1.2.0"));
    Bundle stays = install(pluginFor("acme.plugin", "1.0.0", "[1.1,2)"));
    assertThat(refused(upgrade(api("2.0.0"))))
        .contains(
            "installed bundle acme.plugin 1.0.0 needs package " + API,
            "[1.1.0,2.0.0), the platform after this change offers 2.0.0",
            "uninstall the bundle first");
    assertThat(stays.getState()).isEqualTo(Bundle.ACTIVE);
    assertThat(versions(API)).containsExactly("1.2.0");
  }

  @Test
  void bundleThatLacksItsPackagesAlreadyIsIgnored() throws Exception {
    Bundle unused = install(api("1.2.0"));
    assertThatThrownBy(() -> install(pluginFor("acme.plugin", "1.0.0", "[7.0,8)")))
        .isInstanceOf(BundleException.class);
    assertThat(upgrade(api("1.3.0")).state()).isEqualTo(Operation.State.DONE);
  }

  @Test
  void bundlesThatCannotRunBetweenTheirReplacementsChangeTogetherAtARestart() throws Exception {
    Bundle unused = install(api("1.2.0"));
    Bundle plugin = install(pluginFor(PLUGIN, "1.0.0", "[1.1,2)"));
    assertThat(refused(apply(api("2.0.0"), pluginFor(PLUGIN, "2.0.0", "[2.0,3)"))))
        .contains(API, "--restart");
    assertThat(plugin.getState()).isEqualTo(Bundle.ACTIVE);
    assertThat(versions()).containsExactly("1.0.0");
  }

  @Test
  void rollbackRemovesBundleThatNeedsTheNewMajorWithoutARestart() throws Exception {
    Bundle unused = install(api("1.2.0"));
    Operation done = apply(api("2.0.0"), pluginFor(OTHER, "2.0.0", "[2.0,3)"));
    assertThat(done.state()).as(done.reason()).isEqualTo(Operation.State.DONE);
    assertThat(versions(OTHER)).containsExactly("2.0.0");

    Operation back = request(UpgradeRequest.Action.ROLLBACK, "");
    assertThat(back.state()).as(back.reason()).isEqualTo(Operation.State.DONE);
    assertThat(versions(OTHER)).isEmpty();
    assertThat(versions(API)).containsExactly("1.2.0");
  }
}
