package dev.holdfast.resource.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SettingDefinitionTest {
  private static final List<SettingDefinition> EACH =
      List.of(
          SettingDefinition.flag("flag", true, "A flag."),
          SettingDefinition.number("number", 5, 2, 9, "hours", "A number."),
          SettingDefinition.bytes("bytes", "16Mi", 4096, "Bytes."),
          SettingDefinition.choice("choice", List.of("red", "green", "blue"), "A choice."),
          SettingDefinition.text("text", "[a-c]+", "letters from a to c", "A text."));

  private static SettingDefinition named(String name) {
    return EACH.stream().filter(d -> d.name().equals(name)).findFirst().orElseThrow();
  }

  private static Optional<Setting> set(String name, String value) {
    return Optional.of(Setting.of(name, new SettingSpec(value)));
  }

  @ParameterizedTest(name = "{0} = {1}")
  @CsvSource({
    "flag, false, false",
    "flag, yes, true",
    "number, 2, 2",
    "number, ' 9 ', 9",
    "number, 1, 5",
    "number, 10, 5",
    "number, -3, 5",
    "number, 9999999999999999999, 5",
    "bytes, 4Ki, 4Ki",
    "bytes, 4095, 16Mi",
    "bytes, fast, 16Mi",
    "choice, blue, blue",
    "choice, Blue, red",
    "text, abc, abc",
    "text, abd, ''",
  })
  void wrongValueHasTheDefault(String name, String value, String effective) {
    assertThat(named(name).effective(set(name, value))).isEqualTo(effective);
    boolean taken = effective.equals(value.strip());
    assertThat(named(name).fault(value).isEmpty()).isEqualTo(taken);
  }

  @Test
  void absentAndEmptySettingHaveTheDefault() {
    for (SettingDefinition definition : EACH) {
      assertThat(definition.effective(Optional.empty())).isEqualTo(definition.defaultValue());
      assertThat(definition.effective(set(definition.name(), " ")))
          .isEqualTo(definition.defaultValue());
      assertThat(definition.fault("")).isEmpty();
    }
  }

  @Test
  void faultNamesTheAllowedValues() {
    assertThat(EACH)
        .extracting(definition -> definition.fault("-").orElseThrow())
        .containsExactly(
            "must be true or false",
            "must be a whole number from 2 to 9 (hours)",
            "must be an amount of bytes such as 100Mi",
            "must be red, green or blue",
            "must be letters from a to c");
  }

  @Test
  void definitionWithoutBoundsOrWordsIsRefused() {
    assertThatThrownBy(() -> SettingDefinition.number("n", 1, 3, 2, "", "A number."))
        .hasMessageContaining("setting n: the minimum is larger");
    assertThatThrownBy(() -> SettingDefinition.choice("c", List.of("one"), "A choice."))
        .hasMessageContaining("setting c: a choice needs two words");
    assertThatThrownBy(() -> SettingDefinition.text("t", "", "", "A text."))
        .hasMessageContaining("setting t: a text");
    assertThatThrownBy(() -> SettingDefinition.flag("Flag", true, "A flag."))
        .hasMessageContaining("setting Flag: the name");
  }
}
