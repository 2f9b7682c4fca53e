package dev.holdfast.store.kubernetes.internal;

import dev.holdfast.resource.cluster.PlatformSettings;
import dev.holdfast.resource.cluster.SettingDefinition;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The permitted values of each platform setting, as schema rules. */
final class SettingRules {
  private SettingRules() {}

  /** Returns one rule per platform setting. */
  static List<FieldRules.Rule> all() {
    return PlatformSettings.all().stream().map(SettingRules::rule).toList();
  }

  private static FieldRules.Rule rule(SettingDefinition definition) {
    return new FieldRules.Rule(
        "self.metadata.name != '"
            + definition.name()
            + "' || self.spec.value.trim() == '' || "
            + valid(definition),
        definition.name() + " must be " + definition.allowed(),
        "spec.value");
  }

  private static String valid(SettingDefinition definition) {
    return switch (definition.type()) {
      case FLAG -> in(Stream.of("true", "false"));
      case CHOICE -> in(definition.choices().stream());
      case NUMBER ->
          "(self.spec.value.trim().matches('^[0-9]{1,18}$')"
              + " && int(self.spec.value.trim()) >= "
              + definition.minimum()
              + " && int(self.spec.value.trim()) <= "
              + definition.maximum()
              + ")";
      case BYTES -> amount(definition.minimum());
      case TEXT -> "self.spec.value.trim().matches('^(" + escaped(definition.pattern()) + ")$')";
    };
  }

  private static String amount(long minimum) {
    String pattern = "self.spec.value.trim().matches('" + escaped(FieldRules.QUANTITY) + "')";
    return minimum == 0
        ? pattern
        : "("
            + pattern
            + " && quantity(self.spec.value.trim()).compareTo(quantity('"
            + minimum
            + "')) >= 0)";
  }

  private static String in(Stream<String> words) {
    return "self.spec.value.trim() in "
        + words.map(word -> "'" + word + "'").collect(Collectors.joining(", ", "[", "]"));
  }

  /** Escapes a regular expression for a CEL literal. */
  private static String escaped(String pattern) {
    return pattern.replace("\\", "\\\\");
  }
}
