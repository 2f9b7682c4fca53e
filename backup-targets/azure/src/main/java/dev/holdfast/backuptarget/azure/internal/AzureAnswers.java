package dev.holdfast.backuptarget.azure.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.net.http.HttpResponse;
import java.util.regex.Pattern;

/**
 * Meanings of answers that are not a success. The server's text is not passed on, because it may
 * repeat a credential; its name for the failure is, when it is a plain one.
 */
final class AzureAnswers {
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z]{1,64}");

  private final AzureAddress address;
  private final AzureRequests requests;

  AzureAnswers(AzureAddress address, AzureRequests requests) {
    this.address = address;
    this.requests = requests;
  }

  /** Returns the failure for an answer about an object. */
  StorageException failure(String object, HttpResponse<byte[]> answer) {
    String name = answer.headers().firstValue("x-ms-error-code").orElse("");
    String text =
        "the server answers "
            + answer.statusCode()
            + (PLAIN.matcher(name).matches() ? " " + name : "");
    return switch (name) {
      case "ContainerNotFound", "ContainerBeingDeleted", "ContainerDisabled" ->
          // Not NOT_FOUND: the absence of an object in it would be taken for its deletion.
          requests.failure(
              ErrorCode.UNREACHABLE,
              "container " + address.container(),
              "does not exist: create it, or correct the address");
      case "AuthenticationFailed", "InvalidAuthenticationInfo", "AuthorizationFailure" ->
          requests.failure(
              ErrorCode.FORBIDDEN,
              object,
              text
                  + ": correct AZBLOB_ACCOUNT_NAME and AZBLOB_ACCOUNT_KEY in the secret, or the"
                  + " clock of this host");
      case "ServerBusy" ->
          requests.failure(ErrorCode.BUSY, object, text + ": it accepts fewer requests");
      case "OperationTimedOut" -> requests.failure(ErrorCode.TIMEOUT, object, text);
      case "BlobAlreadyExists" -> requests.failure(ErrorCode.CONFLICT, object, "exists");
      case "BlobImmutableDueToPolicy" ->
          requests.failure(ErrorCode.FORBIDDEN, object, text + ": a policy retains it");
      default -> failure(object, answer.statusCode(), text);
    };
  }

  private StorageException failure(String object, int status, String text) {
    return switch (status) {
      case 401, 403 ->
          requests.failure(
              ErrorCode.FORBIDDEN,
              object,
              text + ": allow the account to use container " + address.container());
      case 404 -> requests.failure(ErrorCode.NOT_FOUND, object, "does not exist");
      case 409 ->
          requests.failure(ErrorCode.CONFLICT, object, text + ": another writer changes it");
      case 412 ->
          requests.failure(
              ErrorCode.CONFLICT, object, "its present state does not meet the condition");
      case 416 -> requests.failure(ErrorCode.IO, object, "ends before the range");
      case 413, 507 -> requests.failure(ErrorCode.NO_SPACE, object, text);
      case 429 -> requests.failure(ErrorCode.BUSY, object, text + ": it accepts fewer requests");
      default ->
          requests.failure(status >= 500 ? ErrorCode.UNREACHABLE : ErrorCode.IO, object, text);
    };
  }
}
