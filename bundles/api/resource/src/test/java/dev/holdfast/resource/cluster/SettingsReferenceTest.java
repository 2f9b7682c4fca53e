package dev.holdfast.resource.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The document of all settings is what the code defines: a changed name or bound fails here. */
class SettingsReferenceTest {
  private static final Path DOCUMENT = Path.of("../../../docs/SETTINGS.md");

  private static final String INTRODUCTION =
      """
      # Settings

      A setting holds for the whole cluster. Each is a resource `Setting`, which exists from the first start of a node. An empty
      value means the default. The code generates this page.

      ```
      $ holdfast setting list                                       # value, value in force, default
      $ holdfast setting explain replica-auto-balance               # allowed values, and what each node does
      $ holdfast setting set replica-auto-balance best-effort
      $ holdfast setting unset replica-auto-balance                 # back to the default
      $ kubectl get settings.holdfast.dev -o wide
      ```

      A wrong value is refused with the allowed ones, and an unknown name with the nearest one. `status.nodes` tells for each node
      whether it applies the value. A value that the store holds nevertheless has no effect: the node reports `InvalidValue` or
      `UnknownSetting`, the setting has a warning event, and the default stays in force. While no bundle of a node reads a setting,
      the node reports `DefinitionAbsent` and the value is kept. A field of a volume, where the table names one, has precedence.

      | setting | default | allowed | field of a volume |
      |---|---|---|---|
      """;

  private static final String CONCLUSION =
      """

      ## Plugins
      The names of a plugin's settings contain a dot. The plugin registers a service `SettingDefinitions`
      ([resource](../bundles/api/resource)), and its settings are then shown and reported as those above. A wrong value of a
      plugin's setting is stored, and reported by its nodes.
      """;

  private static String document() {
    StringBuilder text = new StringBuilder(INTRODUCTION);
    for (SettingDefinition definition : PlatformSettings.all()) {
      text.append(row(definition));
    }
    text.append("\n## Meaning\n");
    for (SettingDefinition definition : PlatformSettings.all()) {
      text.append("- `" + definition.name() + "`: " + definition.description() + "\n");
    }
    return text.append(CONCLUSION).toString();
  }

  private static String row(SettingDefinition definition) {
    String standard = definition.defaultValue();
    String field = definition.volumeField();
    return "| `"
        + definition.name()
        + "` | "
        + (standard.isEmpty() ? "none" : "`" + standard + "`")
        + " | "
        + definition.allowed()
        + " | "
        + (field.isEmpty() ? "" : "`" + field + "`")
        + " |\n";
  }

  @Test
  void documentMatchesTheCode() throws Exception {
    if (Boolean.getBoolean("settings.write")) {
      Files.writeString(DOCUMENT, document());
    }
    assertThat(Files.readString(DOCUMENT))
        .as("write docs/SETTINGS.md by -Dsettings.write=true")
        .isEqualTo(document());
  }
}
