package dev.holdfast.imagesource;

import java.util.Objects;

/**
 * A parameter of an image source.
 *
 * @param name as in {@code spec.sourceParameters}, not null
 * @param required whether each request must have it
 * @param description one sentence, not null
 */
public record SourceParameter(String name, boolean required, String description) {
  /** Rejects null components. */
  public SourceParameter {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(description, "description");
  }
}
