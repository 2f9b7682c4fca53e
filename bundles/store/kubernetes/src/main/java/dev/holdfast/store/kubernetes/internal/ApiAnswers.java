package dev.holdfast.store.kubernetes.internal;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.json.StatusErrors;

/** Converts the API server's refusals to store errors. */
final class ApiAnswers {
  private ApiAnswers() {}

  /**
   * Returns the store error of a response. A request that may have been carried out is UNREACHABLE
   * or TIMEOUT: every error inside the server, because its own store may have answered too late.
   * Only a response about the resource itself is NOT_FOUND: an unknown kind does not mean that its
   * resources were deleted.
   *
   * @param kind kind of the request
   * @param name of the resource, empty for a list
   */
  static StorageException failure(
      ResourceKind<?> kind, String name, KubernetesConnection.Answer answer) {
    JsonNode status = answer.document();
    StorageException plain = StatusErrors.of(kind, status, answer.status());
    if (answer.status() == 404 && !isOf(status, name)) {
      return new StorageException(
          ErrorCode.UNREACHABLE,
          "the API server does not serve "
              + kind.plural()
              + "."
              + ResourceKind.GROUP
              + ": are the definitions below deploy/crds applied? ("
              + plain.getMessage()
              + ")");
    }
    return switch (answer.status()) {
      case 500, 502, 503 ->
          new StorageException(
              ErrorCode.UNREACHABLE, "the API server cannot answer now: " + plain.getMessage());
      case 504 -> new StorageException(ErrorCode.TIMEOUT, plain.getMessage());
      default -> plain;
    };
  }

  private static boolean isOf(JsonNode status, String name) {
    return !name.isEmpty()
        && status.path("reason").asText().equals("NotFound")
        && status.path("details").path("name").asText().equals(name);
  }
}
