package dev.holdfast.resource;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Collects the field errors of one resource. */
final class Checks {
  private static final Pattern NAME =
      Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");

  private final List<FieldError> errors = new ArrayList<>();

  Checks that(boolean holds, String field, Object value, String expected) {
    if (!holds) {
      errors.add(FieldError.invalid(field, value, expected));
    }
    return this;
  }

  Checks required(String value, String field) {
    if (value.isEmpty()) {
      errors.add(FieldError.required(field, "a value is required"));
    }
    return this;
  }

  /** A required name of another resource. */
  Checks name(String value, String field) {
    return value.isEmpty() ? required(value, field) : optionalName(value, field);
  }

  Checks optionalName(String value, String field) {
    return that(
        value.isEmpty() || (value.length() <= 253 && NAME.matcher(value).matches()),
        field,
        value,
        "must be a name of lower-case letters, digits, '-' and '.', starting and ending with a"
            + " letter or digit, at most 253 characters");
  }

  Checks immutable(Object before, Object after, String field) {
    if (!before.equals(after)) {
      errors.add(
          FieldError.forbidden(
              field, "may not be changed from \"" + before + "\" to \"" + after + "\""));
    }
    return this;
  }

  /** What another record found. */
  Checks all(List<FieldError> found) {
    errors.addAll(found);
    return this;
  }

  List<FieldError> errors() {
    return List.copyOf(errors);
  }

  static boolean isName(String value) {
    return !value.isEmpty() && value.length() <= 253 && NAME.matcher(value).matches();
  }
}
