package dev.holdfast.apiserver.internal.http;

import dev.holdfast.error.StorageException;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.json.fields.FieldOwnership;
import java.util.List;

/** Failure of a request in the REST layer itself. */
public final class ApiException extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient ApiStatus status;

  private ApiException(ApiStatus status) {
    super(status.message());
    this.status = status;
  }

  public ApiStatus status() {
    return status;
  }

  public static ApiException badRequest(String message) {
    return new ApiException(ApiStatus.failure(400, "BadRequest", message));
  }

  public static ApiException unauthorized() {
    return new ApiException(
        ApiStatus.failure(
            401, "Unauthorized", "Unauthorized: send the bearer token of the kubeconfig"));
  }

  /** Returns the error for an invalid credential, with a reason for its sender. */
  public static ApiException unauthorized(String message) {
    return new ApiException(ApiStatus.failure(401, "Unauthorized", message));
  }

  /** Returns the error while the cluster's members are unknown to this server. */
  public static ApiException membersNotKnown() {
    return new ApiException(
        ApiStatus.failure(
            503,
            "ServiceUnavailable",
            "this node is starting and has not loaded the members of the cluster yet: try again"));
  }

  /** Returns the error while the credential cannot be verified. */
  public static ApiException notKnownYet(String message) {
    return new ApiException(ApiStatus.failure(503, "ServiceUnavailable", message));
  }

  public static ApiException forbidden(String message) {
    return new ApiException(ApiStatus.failure(403, "Forbidden", message));
  }

  public static ApiException notFound(String path) {
    return new ApiException(
        ApiStatus.failure(404, "NotFound", "the server could not find " + path));
  }

  public static ApiException notFound(Target target) {
    return new ApiException(
        ApiStatus.failure(
                404, "NotFound", target.resource() + " \"" + target.name() + "\" not found")
            .about(target, List.of()));
  }

  public static ApiException methodNotAllowed(String method, String path) {
    return new ApiException(
        ApiStatus.failure(
            405, "MethodNotAllowed", "the server does not allow " + method + " on " + path));
  }

  public static ApiException notAcceptable(String accept) {
    return new ApiException(
        ApiStatus.failure(
            406,
            "NotAcceptable",
            "none of \"" + accept + "\" can be served: ask for application/json"));
  }

  public static ApiException conflict(Target target, String message) {
    return new ApiException(
        ApiStatus.failure(
                409,
                "Conflict",
                "Operation cannot be fulfilled on "
                    + target.resource()
                    + " \""
                    + target.name()
                    + "\": "
                    + message)
            .about(target, List.of()));
  }

  /** Returns the error for fields that other managers own. */
  public static ApiException applyConflict(List<FieldOwnership.Conflict> conflicts) {
    return new ApiException(ApplyConflicts.status(conflicts));
  }

  public static ApiException alreadyExists(Target target) {
    return new ApiException(
        ApiStatus.failure(
                409,
                "AlreadyExists",
                target.resource() + " \"" + target.name() + "\" already exists")
            .about(target, List.of()));
  }

  public static ApiException unsupportedMediaType(String message) {
    return new ApiException(ApiStatus.failure(415, "UnsupportedMediaType", message));
  }

  /** Returns the error for a patch that does not fit its object. */
  public static ApiException unprocessable(Target target, String problem) {
    FieldError cause = new FieldError("patch", FieldError.Reason.INVALID, problem);
    return new ApiException(
        ApiStatus.failure(422, "Invalid", target.kind() + " \"" + target.name() + "\": " + problem)
            .about(target, List.of(cause)));
  }

  /** Returns a failure of the store about an object that the URL does not name. */
  public static ApiException of(StorageException failure, Target target) {
    return new ApiException(ApiStatus.of(failure, target));
  }
}
