package dev.holdfast.resource;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.List;
import java.util.stream.Collectors;

/** A resource that is not valid; code {@link ErrorCode#INVALID}. */
public final class InvalidResourceException extends StorageException {
  private static final long serialVersionUID = 1L;

  private final transient List<FieldError> errors;

  /**
   * Creates an exception.
   *
   * @param kind of the resource, not null
   * @param name of the resource, not null
   * @param errors at least one
   */
  public InvalidResourceException(ResourceKind<?> kind, String name, List<FieldError> errors) {
    super(ErrorCode.INVALID, message(kind, name, errors));
    this.errors = List.copyOf(errors);
  }

  private static String message(ResourceKind<?> kind, String name, List<FieldError> errors) {
    return kind.kind()
        + "."
        + ResourceKind.GROUP
        + " \""
        + name
        + "\" is invalid: "
        + errors.stream()
            .map(error -> error.field() + ": " + error.message())
            .collect(Collectors.joining(", "));
  }

  /** Returns the errors of all fields, never null. */
  public List<FieldError> errors() {
    return errors;
  }
}
