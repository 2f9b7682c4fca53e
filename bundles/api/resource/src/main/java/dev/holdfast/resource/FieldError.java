package dev.holdfast.resource;

/**
 * A violation in one field of a resource.
 *
 * @param field path of the field, for example {@code spec.size}
 * @param reason the kind of error, as in Kubernetes' causes
 * @param message the problem and the expected value
 */
public record FieldError(String field, Reason reason, String message) {
  /**
   * Kinds of errors, with the names that Kubernetes gives them in {@code Status.details.causes}.
   */
  public enum Reason {
    /** A required field is missing. */
    REQUIRED("FieldValueRequired"),
    /** The value is invalid. */
    INVALID("FieldValueInvalid"),
    /** The value is not one of the permitted values. */
    NOT_SUPPORTED("FieldValueNotSupported"),
    /** The field must not be set, or must not change. */
    FORBIDDEN("FieldValueForbidden");

    private final String wireName;

    Reason(String wireName) {
      this.wireName = wireName;
    }

    /** Returns the name in the API, which is also what JSON holds. */
    @Override
    public String toString() {
      return wireName;
    }
  }

  /** Returns the error for a missing required field. */
  public static FieldError required(String field, String message) {
    return new FieldError(field, Reason.REQUIRED, message);
  }

  /** Returns the error for an invalid value. */
  public static FieldError invalid(String field, Object value, String expected) {
    return new FieldError(field, Reason.INVALID, "Invalid value: \"" + value + "\": " + expected);
  }

  /** Returns the error for a field that must not be set, or must not change. */
  public static FieldError forbidden(String field, String message) {
    return new FieldError(field, Reason.FORBIDDEN, message);
  }
}
