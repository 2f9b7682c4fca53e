package dev.holdfast.apiserver.internal.http;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.InvalidResourceException;
import java.util.List;
import java.util.Optional;

/**
 * Kubernetes' {@code metav1.Status}: the result of a request.
 *
 * @param code HTTP status code
 * @param reason reason of Kubernetes, empty on success
 * @param message text for users
 * @param target the object of the request, if any
 * @param causes errors of single fields
 * @param errorCode the error code, if the reason alone does not determine it
 */
public record ApiStatus(
    int code,
    String reason,
    String message,
    Optional<Target> target,
    List<Cause> causes,
    Optional<ErrorCode> errorCode) {
  /** Reason of the cause that contains our {@link ErrorCode}. */
  static final String ERROR_CODE_CAUSE = "HoldfastErrorCode";

  /** One error of one field. */
  record Cause(String reason, String message, String field) {}

  public static ApiStatus failure(int code, String reason, String message) {
    return new ApiStatus(code, reason, message, Optional.empty(), List.of(), Optional.empty());
  }

  ApiStatus about(Target about, List<FieldError> errors) {
    List<Cause> all =
        errors.stream()
            .map(error -> new Cause(error.reason().toString(), error.message(), error.field()))
            .toList();
    return new ApiStatus(code, reason, message, Optional.of(about), all, errorCode);
  }

  /**
   * Returns this status with causes and without an object, as Kubernetes reports conflicts between
   * managers.
   */
  ApiStatus because(List<Cause> all) {
    return new ApiStatus(code, reason, message, target, List.copyOf(all), errorCode);
  }

  private ApiStatus exactly(ErrorCode exact) {
    return new ApiStatus(code, reason, message, target, causes, Optional.of(exact));
  }

  /** Maps our codes to those of HTTP and Kubernetes. The only place that does. */
  public static ApiStatus of(StorageException failure) {
    String message = failure.getMessage();
    return switch (failure.code()) {
      case NOT_FOUND -> failure(404, "NotFound", message);
      case ALREADY_EXISTS -> failure(409, "AlreadyExists", message);
      case CONFLICT -> failure(409, "Conflict", message);
      case INVALID ->
          failure instanceof InvalidResourceException
              ? failure(422, "Invalid", message)
              : failure(400, "BadRequest", message);
      case FORBIDDEN -> failure(403, "Forbidden", message);
      case EXPIRED -> failure(410, "Expired", message);
      case TIMEOUT -> failure(504, "Timeout", message);
      case UNREACHABLE -> failure(503, "ServiceUnavailable", message);
      case INTERNAL -> failure(500, "InternalError", message);
      case BUSY -> failure(409, "Conflict", message).exactly(ErrorCode.BUSY);
      case UNSUPPORTED -> failure(405, "MethodNotAllowed", message).exactly(ErrorCode.UNSUPPORTED);
      case NO_SPACE -> failure(507, "InsufficientStorage", message).exactly(ErrorCode.NO_SPACE);
      case IO -> failure(500, "InternalError", message).exactly(ErrorCode.IO);
    };
  }

  /** Works like {@link #of(StorageException)} and adds the object and its fields. */
  public static ApiStatus of(StorageException failure, Target about) {
    List<FieldError> errors =
        failure instanceof InvalidResourceException invalid ? invalid.errors() : List.of();
    return of(failure).about(about, errors);
  }

  public static ObjectNode success(Target target, String uid) {
    ObjectNode node = header("Success");
    ObjectNode details = node.putObject("details");
    details.put("name", target.name());
    details.put("group", target.group());
    details.put("kind", target.plural());
    details.put("uid", uid);
    return node;
  }

  public ObjectNode tree() {
    ObjectNode node = header("Failure");
    node.put("message", message);
    node.put("reason", reason);
    ObjectNode details = JsonNodeFactory.instance.objectNode();
    target.ifPresent(
        about -> {
          details.put("name", about.name());
          details.put("group", about.group());
          // For field errors Kubernetes reports the kind here, otherwise the plural.
          details.put("kind", causes.isEmpty() ? about.plural() : about.kind());
        });
    for (Cause cause : causes) {
      details
          .withArray("causes")
          .addObject()
          .put("reason", cause.reason())
          .put("message", cause.message())
          .put("field", cause.field());
    }
    errorCode.ifPresent(
        exact ->
            details
                .withArray("causes")
                .addObject()
                .put("reason", ERROR_CODE_CAUSE)
                .put("message", exact.name()));
    if (!details.isEmpty()) {
      node.set("details", details);
    }
    node.put("code", code);
    return node;
  }

  public ApiResponse response() {
    return ApiResponse.json(code, tree(), List.of());
  }

  private static ObjectNode header(String status) {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("kind", "Status");
    node.put("apiVersion", "v1");
    node.putObject("metadata");
    node.put("status", status);
    return node;
  }
}
