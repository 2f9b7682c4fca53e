package dev.holdfast.upgrader.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.osgi.framework.Bundle;
import org.osgi.framework.startlevel.BundleStartLevel;

class SelfUpdateTest extends UpgradeFixture {
  private static final String API = "dev.holdfast.example.api";
  private static final String SELF = "dev.holdfast.example.self";

  private static TestJar api(String version) {
    return TestJar.of(API, version).header("Export-Package", API + ";version=\"" + version + "\"");
  }

  private static TestJar self(String version, String packages) {
    return TestJar.of(SELF, version)
        .header("Import-Package", API + ";version=\"" + packages + "\"");
  }

  @Test
  void upgraderReturnsToAnOlderReleaseWithItsPackages() throws Exception {
    Bundle packages = install(api("1.2.0"));
    Bundle self = install(self("3.0.0", "[1.2,2)"));
    Path older = self("2.0.0", "[1.1,1.2)").in(folder);
    try (InputStream content = Files.newInputStream(api("1.1.0").in(folder))) {
      packages.update(content);
    }
    SelfUpdate update = new SelfUpdate(self);
    assertThat(update.is(older)).isFalse();

    update.to(older, List.of(packages));

    await(() -> versions(SELF).equals(List.of("2.0.0")));
    assertThat(versions(API)).containsExactly("1.1.0");
    assertThat(update.is(older)).isTrue();
  }

  /**
   * While all bundles are refreshed, the framework's start level may fail to start a bundle,
   * because both need the same locks. Such a bundle has the state of one that was stopped
   * transiently.
   */
  @Test
  void bundlesThatTheStartLevelMissedAreStarted() throws Exception {
    Bundle packages = install(api("1.2.0"));
    Bundle self = install(self("3.0.0", "[1.2,2)"));
    Bundle missed = install(TestJar.of("dev.holdfast.example.missed", "1.0.0"));
    Bundle stopped = install(TestJar.of("dev.holdfast.example.stopped", "1.0.0"));
    Bundle later = install(TestJar.of("dev.holdfast.example.later", "1.0.0"));
    missed.stop(Bundle.STOP_TRANSIENT);
    stopped.stop();
    later.adapt(BundleStartLevel.class).setStartLevel(90);
    await(() -> later.getState() == Bundle.RESOLVED);

    new SelfUpdate(self).to(self("2.0.0", "[1.2,2)").in(folder), List.of(packages));

    await(() -> versions("dev.holdfast.example.missed").equals(List.of("1.0.0")));
    assertThat(versions(SELF)).containsExactly("2.0.0");
    assertThat(stopped.getState()).isEqualTo(Bundle.RESOLVED);
    assertThat(later.getState()).isEqualTo(Bundle.RESOLVED);
  }
}
