package dev.holdfast.resource;

import java.util.Objects;

/**
 * A set of fields in the form of Kubernetes' {@code FieldsV1}: an object with one key for each
 * field, for example <code>{"f:spec":{"f:size":{}}}</code>.
 *
 * @param json the object as JSON text
 */
public record FieldsV1(String json) {
  /** The empty set. */
  public static final FieldsV1 NONE = new FieldsV1("{}");

  /** Rejects null. */
  public FieldsV1 {
    Objects.requireNonNull(json, "json");
  }
}
