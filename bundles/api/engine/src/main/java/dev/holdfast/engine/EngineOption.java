package dev.holdfast.engine;

import java.util.Objects;
import java.util.Set;

/**
 * An option of an engine's volumes. It is declared so that the API server can reject a wrong value
 * before a volume is made.
 *
 * @param name as in {@code Volume.spec.engineOptions}, not empty
 * @param allowed the values that it may have, empty for any text; not null
 * @param defaultValue the value of a volume that does not set it, not null
 * @param mutable whether it may be changed after the volume was made
 * @since 2.1
 */
public record EngineOption(String name, Set<String> allowed, String defaultValue, boolean mutable) {
  /** Copies the values and checks that the default is one of them. */
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
