package dev.holdfast.upgrader.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.osgi.framework.Bundle;

/** Bundles of a real framework by their location. */
class InstalledBundlesTest extends UpgradeFixture {
  @Test
  void jarIsInstalledBesideABundleThatWasUpdatedAfterItsInstallation() throws Exception {
    InstalledBundles bundles = new InstalledBundles(context());
    Path jar = TestJar.of(PLUGIN, "1.1.0").in(folder);
    Bundle first = bundles.install(jar, 1);
    try (InputStream content = Files.newInputStream(TestJar.of(PLUGIN, "1.2.0").in(folder))) {
      first.update(content);
    }

    Bundle again = bundles.install(jar, 1);

    assertThat(again).isNotEqualTo(first);
    assertThat(again.getVersion()).hasToString("1.1.0");
    assertThat(first.getVersion()).hasToString("1.2.0");
  }
}
