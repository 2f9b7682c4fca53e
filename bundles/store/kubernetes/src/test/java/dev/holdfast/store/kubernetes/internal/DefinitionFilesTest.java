package dev.holdfast.store.kubernetes.internal;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.holdfast.resource.KindCatalogue;
import dev.holdfast.resource.ResourceKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The definitions below deploy/crds match the records of this tree. */
class DefinitionFilesTest {
  private static final Path FOLDER = Path.of("../../../deploy/crds");
  private static final YAMLMapper YAML =
      YAMLMapper.builder()
          .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
          .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
          .disable(YAMLGenerator.Feature.SPLIT_LINES)
          .build();

  /** With -Dholdfast.crds.write=true the test writes the files. */
  @Test
  void filesMatchTheRecords() throws Exception {
    Map<String, String> made = new TreeMap<>();
    for (ResourceKind<?> kind : Definitions.kinds(KindCatalogue.load()).toList()) {
      String text =
          "# Generated from the records of resource-api: see DefinitionFilesTest.\n"
              + YAML.writeValueAsString(new Definitions().of(kind));
      made.put(kind.plural() + ".yaml", text);
    }
    if (Boolean.getBoolean("holdfast.crds.write")) {
      write(made);
    }

    assertThat(kept()).isEqualTo(made);
  }

  private static void write(Map<String, String> files) throws IOException {
    Files.createDirectories(FOLDER);
    for (Map.Entry<String, String> file : files.entrySet()) {
      Files.writeString(FOLDER.resolve(file.getKey()), file.getValue());
    }
  }

  private static Map<String, String> kept() throws IOException {
    Map<String, String> files = new TreeMap<>();
    try (var folder = Files.newDirectoryStream(FOLDER, "*.yaml")) {
      for (Path file : folder) {
        files.put(file.getFileName().toString(), Files.readString(file));
      }
    }
    return files;
  }
}
