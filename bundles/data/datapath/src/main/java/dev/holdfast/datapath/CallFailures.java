package dev.holdfast.datapath;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.concurrent.CompletionException;

/** Failures of calls that ran on other threads. */
public final class CallFailures {
  private CallFailures() {}

  /**
   * Returns the failure of a call.
   *
   * @param subject subject of the call, for the message of an unexpected failure; not null
   * @param failure failure of the call's future, not null
   * @return the StorageException of the call, or INTERNAL for an unchecked exception; never null
   */
  public static StorageException of(String subject, CompletionException failure) {
    return failure.getCause() instanceof StorageException thrown
        ? thrown
        : new StorageException(ErrorCode.INTERNAL, subject + ": " + failure.getCause(), failure);
  }
}
