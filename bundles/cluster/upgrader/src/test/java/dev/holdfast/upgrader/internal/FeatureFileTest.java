package dev.holdfast.upgrader.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
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
    FeatureFile.Entry api = new FeatureFile.Entry("mvn:g/api/1", OptionalInt.empty());
    FeatureFile.Entry other = new FeatureFile.Entry("mvn:g/other/1", OptionalInt.empty());
    FeatureFile.Entry node = new FeatureFile.Entry("mvn:g/node/1", OptionalInt.of(85));
    assertThat(FeatureFile.bundlesOf(file, "all")).containsExactly(api, node);
    assertThat(FeatureFile.bundles(file)).containsExactly(api, other, node);
  }

  @Test
  void startLevelThatIsNotANumberIsRefused() throws IOException {
    for (String level : List.of("high", "-1")) {
      Path file =
          Files.writeString(
              folder.resolve("features.xml"),
              """
              <features><feature name="a"><bundle start-level="%s">mvn:g/a/1</bundle>
              </feature></features>
              """
                  .formatted(level));
      assertThatThrownBy(() -> FeatureFile.bundles(file))
          .hasMessageContaining("mvn:g/a/1")
          .hasMessageContaining(level)
          .hasMessageContaining("a number from 1");
    }
  }

  @Test
  void invalidXmlIsRefused() throws IOException {
    Path file = Files.writeString(folder.resolve("features.xml"), "no xml");
    assertThatThrownBy(() -> FeatureFile.bundles(file)).hasMessageContaining("not a feature file");
  }
}
