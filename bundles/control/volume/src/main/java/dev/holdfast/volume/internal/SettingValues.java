package dev.holdfast.volume.internal;

import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingDefinition;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Reads settings; the default replaces a missing or invalid value. */
record SettingValues(List<Setting> settings) {
  SettingValues {
    settings = List.copyOf(settings);
  }

  private Optional<Setting> find(SettingDefinition definition) {
    return settings.stream()
        .filter(setting -> setting.name().equals(definition.name()))
        .findFirst();
  }

  boolean flag(SettingDefinition definition) {
    return definition.isOn(find(definition));
  }

  long number(SettingDefinition definition) {
    return definition.number(find(definition));
  }

  long bytes(SettingDefinition definition) {
    return definition.bytes(find(definition));
  }

  String text(SettingDefinition definition) {
    return definition.effective(find(definition));
  }

  /** Returns the constant whose text is in force. */
  <E extends Enum<E>> E choice(SettingDefinition definition, Class<E> type) {
    String text = text(definition);
    return Arrays.stream(type.getEnumConstants())
        .filter(constant -> constant.toString().equals(text))
        .findFirst()
        .orElseThrow();
  }
}
