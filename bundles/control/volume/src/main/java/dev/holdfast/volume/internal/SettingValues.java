package dev.holdfast.volume.internal;

import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.cluster.Setting;
import java.util.Arrays;
import java.util.List;

/** Reads settings; one that is not set, or that says nothing that makes sense, has its default. */
record SettingValues(List<Setting> settings) {
  SettingValues {
    settings = List.copyOf(settings);
  }

  private String text(String name) {
    return settings.stream()
        .filter(setting -> setting.name().equals(name))
        .map(setting -> setting.spec().value().strip())
        .findFirst()
        .orElse("");
  }

  boolean flag(String name, boolean fallback) {
    return switch (text(name)) {
      case "true" -> true;
      case "false" -> false;
      default -> fallback;
    };
  }

  /** A number of at least 0; more than the most counts as the most. */
  long number(String name, long fallback, long most) {
    String value = text(name);
    return value.matches("\\d{1,18}") ? Math.min(Long.parseLong(value), most) : fallback;
  }

  long bytes(String name, long fallback) {
    try {
      return Quantity.parse(text(name)).bytes();
    } catch (IllegalArgumentException e) {
      return fallback;
    }
  }

  <E extends Enum<E>> E choice(String name, E fallback) {
    return Arrays.stream(fallback.getDeclaringClass().getEnumConstants())
        .filter(constant -> constant.toString().equals(text(name)))
        .findFirst()
        .orElse(fallback);
  }
}
