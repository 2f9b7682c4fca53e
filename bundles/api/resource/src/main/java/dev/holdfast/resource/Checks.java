package dev.holdfast.resource;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Collects the field errors of one resource. Not thread-safe. */
public final class Checks {
  private static final Pattern NAME =
      Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");

  private final List<FieldError> errors = new ArrayList<>();

  /**
   * Records an error unless a condition holds.
   *
   * @param field path of the field, for example {@code spec.size}
   * @param value the rejected value, for the message
   * @param expected what the field must be, for example {@code must be positive}
   */
  public Checks that(boolean holds, String field, Object value, String expected) {
    if (!holds) {
      errors.add(FieldError.invalid(field, value, expected));
    }
    return this;
  }

  /** Records an error when a value is empty. */
  public Checks required(String value, String field) {
    if (value.isEmpty()) {
      errors.add(FieldError.required(field, "a value is required"));
    }
    return this;
  }

  /** Records an error unless the value is the name of a resource; empty is an error. */
  public Checks name(String value, String field) {
    return value.isEmpty() ? required(value, field) : optionalName(value, field);
  }

  /** Records an error unless the value is empty or the name of a resource. */
  public Checks optionalName(String value, String field) {
    return that(
        value.isEmpty() || (value.length() <= 253 && NAME.matcher(value).matches()),
        field,
        value,
        "must be a name of lower-case letters, digits, '-' and '.', starting and ending with a"
            + " letter or digit, at most 253 characters");
  }

  /** Records an error if an immutable field has changed. */
  public Checks immutable(Object before, Object after, String field) {
    if (!before.equals(after)) {
      errors.add(
          FieldError.forbidden(
              field, "may not be changed from \"" + before + "\" to \"" + after + "\""));
    }
    return this;
  }

  /** Adds the errors that another record found. */
  public Checks all(List<FieldError> found) {
    errors.addAll(found);
    return this;
  }

  /** Returns the errors in the order in which they were recorded; empty if all fields are valid. */
  public List<FieldError> errors() {
    return List.copyOf(errors);
  }

  /** Returns whether a value is a DNS subdomain of at most 253 characters. */
  public static boolean isName(String value) {
    return !value.isEmpty() && value.length() <= 253 && NAME.matcher(value).matches();
  }
}
