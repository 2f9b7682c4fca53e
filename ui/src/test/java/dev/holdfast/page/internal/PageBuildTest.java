package dev.holdfast.page.internal;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The build of the page: its bill of materials, and whether it depends on its sources only. */
class PageBuildTest {
  private static final String FOLDER = "node_modules/";

  private static JsonNode bill() throws IOException {
    try (InputStream in = PageBuildTest.class.getResourceAsStream("/page/bom.cdx.json")) {
      return new ObjectMapper().readTree(in);
    }
  }

  /** Returns the licence of each package of the lock file, by its name and version. */
  private static Map<String, String> locked() throws IOException {
    JsonNode lock = new ObjectMapper().readTree(Files.readString(Path.of("package-lock.json")));
    Map<String, String> packages = new TreeMap<>();
    for (Map.Entry<String, JsonNode> entry : lock.path("packages").properties()) {
      String path = entry.getKey();
      if (path.isEmpty()) {
        continue; // the page itself
      }
      String name = path.substring(path.lastIndexOf(FOLDER) + FOLDER.length());
      packages.put(
          name + "@" + entry.getValue().path("version").asText(),
          entry.getValue().path("license").asText());
    }
    return packages;
  }

  @Test
  void billOfMaterialsNamesEachPackageWithLicenceAndHash() throws IOException {
    JsonNode bill = bill();
    Map<String, String> locked = locked();
    List<String> names = new ArrayList<>();
    for (JsonNode component : bill.path("components")) {
      String name = component.path("name").asText();
      names.add(name);
      String version = component.path("version").asText();
      assertThat(locked)
          .containsEntry(name + "@" + version, component.at("/licenses/0/license/id").asText());
      assertThat(component.at("/hashes/0/content").asText()).as(name).matches("[0-9a-f]{128}");
    }
    assertThat(names)
        .contains("react", "react-dom", "@patternfly/react-core", "uplot", "react-intl")
        .doesNotContain("vite", "vitest", "typescript")
        .doesNotHaveDuplicates();
    assertThat(bill.path("bomFormat").asText()).isEqualTo("CycloneDX");
    assertThat(bill.at("/metadata/component/name").asText()).isEqualTo("holdfast-page");
  }

  /** Two builds take as long as all other tests of this module. */
  @Tag("soak")
  @Test
  void sameSourcesGiveTheSameBytes() throws Exception {
    Process build = new ProcessBuilder("build/same-bytes").redirectErrorStream(true).start();
    String output = new String(build.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(build.waitFor()).as(output).isZero();
  }
}
