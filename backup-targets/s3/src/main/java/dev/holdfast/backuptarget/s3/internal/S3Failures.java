package dev.holdfast.backuptarget.s3.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import javax.net.ssl.SSLException;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.exception.AbortedException;
import software.amazon.awssdk.core.exception.ApiCallAttemptTimeoutException;
import software.amazon.awssdk.core.exception.ApiCallTimeoutException;
import software.amazon.awssdk.core.exception.SdkException;

/**
 * Turns exceptions of the SDK into failures that name the object and the remedy. Neither text that
 * the server sent nor the SDK's exception is passed on, because both may repeat a credential.
 */
final class S3Failures {
  /** A shorter value says nothing, and would be found in other words. */
  private static final int SHORTEST_SECRET = 4;

  private final S3Address address;
  private final List<String> secrets;

  S3Failures(S3Address address, Map<String, byte[]> credentials) {
    this.address = address;
    this.secrets =
        S3Access.CREDENTIALS.stream()
            .filter(key -> key.secret() && credentials.containsKey(key.name()))
            .map(key -> new String(credentials.get(key.name()), StandardCharsets.UTF_8).strip())
            .filter(value -> value.length() >= SHORTEST_SECRET)
            .sorted(Comparator.comparing(String::length).reversed())
            .toList();
  }

  /** Makes a request about an object, or about several. */
  <T> T ask(String object, Supplier<T> request) throws StorageException {
    try {
      return request.get();
    } catch (SdkException e) {
      throw of(object, e);
    } catch (RejectedExecutionException | IllegalStateException e) {
      // The connections and the timer refuse requests when they are closed.
      throw of(ErrorCode.UNREACHABLE, object, "the store was closed");
    }
  }

  private StorageException of(String object, SdkException failure) {
    return failure instanceof AwsServiceException refused
        ? refused(object, refused)
        : unanswered(object, failure);
  }

  StorageException of(ErrorCode code, String object, String problem) {
    return new StorageException(code, masked(address + ": " + object + ": " + problem));
  }

  private String masked(String text) {
    String shown = text;
    for (String secret : secrets) {
      shown = shown.replace(secret, "***");
    }
    return shown;
  }

  /** Returns the server's name for a failure, empty if it is not a plain name. */
  static String name(AwsServiceException failure) {
    String name = failure.awsErrorDetails() == null ? "" : failure.awsErrorDetails().errorCode();
    return plain(name);
  }

  static String plain(String name) {
    return name != null && name.matches("[A-Za-z0-9.]{1,64}") ? name : "";
  }

  private StorageException refused(String object, AwsServiceException failure) {
    String name = name(failure);
    String answer =
        "the server answers " + failure.statusCode() + (name.isEmpty() ? "" : " " + name);
    return switch (name) {
      case "NoSuchBucket" -> noBucket();
      case "QuotaExceeded", "XMinioStorageFull", "InsufficientStorage" ->
          of(ErrorCode.NO_SPACE, object, answer + ": delete backups, or enlarge the target");
      case "InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken", "InvalidToken" ->
          of(
              ErrorCode.FORBIDDEN,
              object,
              answer + ": correct AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the secret");
      case "RequestTimeTooSkewed" ->
          of(ErrorCode.FORBIDDEN, object, answer + ": set the clock of this host");
      case "SlowDown", "RequestLimitExceeded", "Throttling", "ThrottlingException" ->
          of(ErrorCode.BUSY, object, answer + ": it accepts fewer requests");
      case "RequestTimeout" -> of(ErrorCode.TIMEOUT, object, answer);
      case "AuthorizationHeaderMalformed",
          "PermanentRedirect",
          "IllegalLocationConstraintException" ->
          of(ErrorCode.INVALID, object, answer + ": " + region());
      default -> refused(object, failure.statusCode(), answer);
    };
  }

  private StorageException refused(String object, int status, String answer) {
    return switch (status) {
      case 301, 302, 307, 308 -> of(ErrorCode.INVALID, object, answer + ": " + region());
      case 401, 403 ->
          of(
              ErrorCode.FORBIDDEN,
              object,
              answer + ": allow the access key to use bucket " + address.bucket());
      case 404 -> of(ErrorCode.NOT_FOUND, object, "does not exist");
      case 409 -> of(ErrorCode.CONFLICT, object, answer + ": another writer changes it");
      case 412 -> of(ErrorCode.CONFLICT, object, "its present state does not meet the condition");
      case 416 -> of(ErrorCode.IO, object, "ends before the range that was asked for");
      case 429 -> of(ErrorCode.BUSY, object, answer + ": it accepts fewer requests");
      case 501 -> of(ErrorCode.UNSUPPORTED, object, answer);
      case 507 ->
          of(ErrorCode.NO_SPACE, object, answer + ": delete backups, or enlarge the target");
      case 500, 502, 503, 504 -> of(ErrorCode.UNREACHABLE, object, answer);
      default -> of(ErrorCode.IO, object, answer);
    };
  }

  StorageException noBucket() {
    return of(
        ErrorCode.NOT_FOUND,
        "bucket " + address.bucket(),
        "does not exist: create it, or correct the address");
  }

  private String region() {
    return "bucket "
        + address.bucket()
        + " is not in region "
        + address.region()
        + ", or the server has another name: correct the region in the address, or AWS_ENDPOINTS";
  }

  private StorageException unanswered(String object, SdkException failure) {
    if (failure instanceof AbortedException) {
      return of(ErrorCode.UNREACHABLE, object, "the call was interrupted");
    }
    if (failure instanceof ApiCallTimeoutException
        || failure instanceof ApiCallAttemptTimeoutException
        || cause(failure, SocketTimeoutException.class) != null) {
      return of(ErrorCode.TIMEOUT, object, "the server did not answer in time");
    }
    if (cause(failure, SSLException.class) != null) {
      return of(
          ErrorCode.UNREACHABLE,
          object,
          "no trusted TLS connection: put the server's certificate into AWS_CERT of the secret");
    }
    Throwable host = cause(failure, UnknownHostException.class);
    if (host != null) {
      return of(ErrorCode.UNREACHABLE, object, "unknown host: correct AWS_ENDPOINTS of the secret");
    }
    if (cause(failure, ConnectException.class) != null) {
      return of(ErrorCode.UNREACHABLE, object, "no connection to the server");
    }
    IOException broken = cause(failure, IOException.class);
    if (broken != null) {
      return of(
          ErrorCode.UNREACHABLE,
          object,
          "the connection broke off: " + broken.getClass().getSimpleName());
    }
    String text = String.valueOf(failure.getMessage());
    if (text.contains("Unable to load credentials")) {
      return of(
          ErrorCode.INVALID,
          object,
          "neither a secret nor this host has an access key: set AWS_ACCESS_KEY_ID and"
              + " AWS_SECRET_ACCESS_KEY");
    }
    return of(ErrorCode.IO, object, "the request failed: " + failure.getClass().getSimpleName());
  }

  private static <T extends Throwable> T cause(Throwable failure, Class<T> type) {
    for (Throwable t = failure.getCause(); t != null; t = t.getCause()) {
      if (type.isInstance(t)) {
        return type.cast(t);
      }
    }
    return null;
  }
}
