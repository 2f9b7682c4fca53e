package dev.holdfast.resource.json;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.InvalidResourceException;
import dev.holdfast.resource.ResourceKind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Converts Kubernetes' Status to exceptions; the inverse of the server's conversion. */
public final class StatusErrors {
  private static final String ERROR_CODE_CAUSE = "HoldfastErrorCode";

  private StatusErrors() {}

  /**
   * Returns the failure in a Status.
   *
   * @param kind kind of the request
   * @param status body of the response, or another document if the server is not ours
   * @param httpCode HTTP code of the response
   */
  public static StorageException of(ResourceKind<?> kind, JsonNode status, int httpCode) {
    String message = status.path("message").asText("the server answered with code " + httpCode);
    ErrorCode exact = null;
    List<FieldError> errors = new ArrayList<>();
    for (JsonNode cause : status.path("details").path("causes")) {
      if (cause.path("reason").asText().equals(ERROR_CODE_CAUSE)) {
        exact = exactCode(cause.path("message").asText());
      } else {
        errors.add(fieldError(cause));
      }
    }
    if (exact != null) {
      return new StorageException(exact, message);
    }
    ErrorCode code = code(status.path("reason").asText(), status.path("code").asInt(httpCode));
    return code == ErrorCode.INVALID && !errors.isEmpty()
        ? new InvalidResourceException(kind, status.path("details").path("name").asText(), errors)
        : new StorageException(code, message);
  }

  private static ErrorCode exactCode(String name) {
    return Arrays.stream(ErrorCode.values())
        .filter(code -> code.name().equals(name))
        .findFirst()
        .orElse(ErrorCode.INTERNAL);
  }

  private static FieldError fieldError(JsonNode cause) {
    String reason = cause.path("reason").asText();
    return new FieldError(
        cause.path("field").asText(),
        Arrays.stream(FieldError.Reason.values())
            .filter(known -> known.toString().equals(reason))
            .findFirst()
            .orElse(FieldError.Reason.INVALID),
        cause.path("message").asText());
  }

  private static ErrorCode code(String reason, int httpCode) {
    return switch (reason) {
      case "NotFound" -> ErrorCode.NOT_FOUND;
      case "AlreadyExists" -> ErrorCode.ALREADY_EXISTS;
      case "Conflict" -> ErrorCode.CONFLICT;
      case "Invalid", "BadRequest", "RequestEntityTooLarge" -> ErrorCode.INVALID;
      case "Forbidden", "Unauthorized" -> ErrorCode.FORBIDDEN;
      case "Expired", "Gone" -> ErrorCode.EXPIRED;
      case "Timeout" -> ErrorCode.TIMEOUT;
      case "TooManyRequests" -> ErrorCode.BUSY;
      case "ServiceUnavailable" -> ErrorCode.UNREACHABLE;
      case "MethodNotAllowed", "NotAcceptable", "UnsupportedMediaType" -> ErrorCode.UNSUPPORTED;
      case "InternalError" -> ErrorCode.INTERNAL;
      default -> byHttpCode(httpCode);
    };
  }

  private static ErrorCode byHttpCode(int httpCode) {
    return switch (httpCode) {
      case 401, 403 -> ErrorCode.FORBIDDEN;
      case 404 -> ErrorCode.NOT_FOUND;
      case 409 -> ErrorCode.CONFLICT;
      case 410 -> ErrorCode.EXPIRED;
      case 400, 413, 422 -> ErrorCode.INVALID;
      case 429 -> ErrorCode.BUSY;
      case 502, 503 -> ErrorCode.UNREACHABLE;
      case 504 -> ErrorCode.TIMEOUT;
      default -> ErrorCode.INTERNAL;
    };
  }
}
