package dev.holdfast.backuptarget.cifs.internal;

import com.hierynomus.mserref.NtStatus;
import com.hierynomus.mssmb2.SMBApiException;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.util.concurrent.TimeoutException;

/** Translates failures. The server's text and the library's exceptions are not passed on. */
final class CifsFailures {
  private final CifsAddress address;

  CifsFailures(CifsAddress address) {
    this.address = address;
  }

  StorageException of(ErrorCode code, String object, String problem) {
    return new StorageException(code, address + ": " + object + ": " + problem);
  }

  /** Returns the failure for a target whose folder is absent: not NOT_FOUND, as of an object. */
  StorageException noFolder() {
    return of(
        ErrorCode.UNREACHABLE,
        "folder \"" + address.root() + "\"",
        "does not exist: create it, or correct the address");
  }

  /** Returns whether the server forgot the session, so that a new one may succeed. */
  static boolean isLostSession(SMBApiException failure) {
    return switch (failure.getStatus()) {
      case STATUS_USER_SESSION_DELETED,
          STATUS_NETWORK_SESSION_EXPIRED,
          STATUS_NETWORK_NAME_DELETED,
          STATUS_CONNECTION_DISCONNECTED,
          STATUS_CONNECTION_RESET ->
          true;
      default -> false;
    };
  }

  /** Returns whether nothing of a name is there. */
  static boolean isAbsent(SMBApiException failure) {
    return switch (failure.getStatus()) {
      case STATUS_OBJECT_NAME_NOT_FOUND,
          STATUS_OBJECT_PATH_NOT_FOUND,
          STATUS_NO_SUCH_FILE,
          STATUS_NOT_FOUND,
          STATUS_DELETE_PENDING,
          STATUS_NOT_A_DIRECTORY,
          STATUS_FILE_IS_A_DIRECTORY ->
          true;
      default -> false;
    };
  }

  /** Returns whether the file may be in use, such as by a reader of an object. */
  static boolean isInUse(SMBApiException failure) {
    NtStatus status = failure.getStatus();
    return status == NtStatus.STATUS_SHARING_VIOLATION || status == NtStatus.STATUS_ACCESS_DENIED;
  }

  StorageException of(String object, SMBApiException failure) {
    String answer = "the server answers " + failure.getStatus().name();
    if (isAbsent(failure)) {
      return of(ErrorCode.NOT_FOUND, object, "does not exist");
    }
    return switch (failure.getStatus()) {
      case STATUS_LOGON_FAILURE,
          STATUS_ACCOUNT_DISABLED,
          STATUS_PASSWORD_EXPIRED,
          STATUS_LOGON_TYPE_NOT_GRANTED ->
          of(
              ErrorCode.FORBIDDEN,
              object,
              answer + ": correct CIFS_USERNAME and CIFS_PASSWORD in the secret");
      case STATUS_ACCESS_DENIED ->
          of(ErrorCode.FORBIDDEN, object, answer + ": allow the user to write below the share");
      case STATUS_BAD_NETWORK_NAME ->
          of(
              ErrorCode.UNREACHABLE,
              object,
              "the server has no such share: create it, or correct the address");
      case STATUS_OBJECT_NAME_COLLISION -> of(ErrorCode.CONFLICT, object, "exists");
      case STATUS_DISK_FULL ->
          of(ErrorCode.NO_SPACE, object, answer + ": delete backups, or enlarge the target");
      case STATUS_SHARING_VIOLATION, STATUS_FILE_LOCK_CONFLICT ->
          of(ErrorCode.BUSY, object, answer + ": another program has it open");
      case STATUS_OBJECT_NAME_INVALID ->
          of(ErrorCode.INVALID, object, answer + ": the server accepts no such name");
      case STATUS_NOT_SUPPORTED -> of(ErrorCode.UNSUPPORTED, object, answer);
      case STATUS_IO_TIMEOUT -> of(ErrorCode.TIMEOUT, object, answer);
      case STATUS_INSUFFICIENT_RESOURCES -> of(ErrorCode.BUSY, object, answer);
      default ->
          isLostSession(failure)
              ? of(ErrorCode.UNREACHABLE, object, answer)
              : of(ErrorCode.IO, object, answer);
    };
  }

  /** Translates a failure of the connection. */
  StorageException of(String object, Exception failure) {
    if (failure instanceof SMBApiException refused) {
      return of(object, refused);
    }
    if (has(failure, TimeoutException.class) || has(failure, SocketTimeoutException.class)) {
      return of(ErrorCode.TIMEOUT, object, "the server did not answer in time");
    }
    if (has(failure, InterruptedException.class)) {
      Thread.currentThread().interrupt();
      return of(ErrorCode.TIMEOUT, object, "the call was interrupted");
    }
    if (has(failure, UnknownHostException.class)) {
      return of(ErrorCode.UNREACHABLE, object, "unknown host: correct the address");
    }
    if (has(failure, ConnectException.class)) {
      return of(ErrorCode.UNREACHABLE, object, "no connection to the server");
    }
    return of(
        ErrorCode.UNREACHABLE,
        object,
        "the connection broke off: " + failure.getClass().getSimpleName());
  }

  private static boolean has(Throwable failure, Class<? extends Throwable> type) {
    for (Throwable t = failure; t != null; t = t.getCause()) {
      if (type.isInstance(t)) {
        return true;
      }
    }
    return false;
  }
}
