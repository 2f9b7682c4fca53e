package dev.holdfast.upgrader.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FeatureFileTest {
  @TempDir private Path folder;

  @Test
  void aFeatureHasItsBundlesAndThoseItNeeds() throws IOException {
    Path file = folder.resolve("features.xml");
    Files.writeString(
        file,
        """
        <features name="x" xmlns="http://karaf.apache.org/xmlns/features/v1.6.0">
          <feature name="api"><bundle>mvn:g/api/1</bundle></feature>
          <feature name="other"><bundle>mvn:g/other/1</bundle></feature>
          <feature name="all"><feature>api</feature><feature>scr</feature>
            <bundle start-level="85">mvn:g/node/1</bundle><bundle>mvn:g/api/1</bundle></feature>
        </features>
        """);
    assertThat(FeatureFile.bundlesOf(file, "all")).containsExactly("mvn:g/api/1", "mvn:g/node/1");
    assertThat(FeatureFile.bundles(file))
        .containsExactly("mvn:g/api/1", "mvn:g/other/1", "mvn:g/node/1");
  }

  @Test
  void invalidXmlIsRefused() throws IOException {
    Path file = Files.writeString(folder.resolve("features.xml"), "no xml");
    assertThatThrownBy(() -> FeatureFile.bundles(file)).hasMessageContaining("not a feature file");
  }
}
