package dev.holdfast.engine;

import java.util.Objects;
import java.util.Set;

/**
 * An option of an engine's volumes. The declaration lets the API server reject an invalid value
 * before it creates a volume.
 *
 * @param name as in {@code Volume.spec.engineOptions}, not empty
 * @param allowed the permitted values, empty for any text; not null
 * @param defaultValue the value for volumes that do not set the option, not null
 * @param mutable whether the option can change after the creation of the volume
 * @since 2.1
 */
public record EngineOption(String name, Set<String> allowed, String defaultValue, boolean mutable) {
  /** Copies the values and rejects a default that is not permitted. */
  public EngineOption {
    Objects.requireNonNull(defaultValue, "defaultValue");
    allowed = Set.copyOf(allowed);
    if (name.isEmpty()) {
      throw new IllegalArgumentException("name: must not be empty");
    }
    if (!allowed.isEmpty() && !allowed.contains(defaultValue)) {
      throw new IllegalArgumentException(
          "defaultValue: must be one of " + allowed + ": " + defaultValue);
    }
  }
}
