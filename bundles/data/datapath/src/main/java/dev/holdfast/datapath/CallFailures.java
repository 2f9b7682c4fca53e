package dev.holdfast.datapath;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.concurrent.CompletionException;

/** Failures of calls that other threads carried out. */
public final class CallFailures {
  private CallFailures() {}

  /**
   * Returns the failure of a call.
   *
   * @param subject of the call, for the message of an unexpected failure; not null
   * @param failure that the call's future threw, not null
   * @return what the call threw, or INTERNAL when that was unchecked; never null
   */
  public static StorageException of(String subject, CompletionException failure) {
    return failure.getCause() instanceof StorageException thrown
        ? thrown
        : new StorageException(ErrorCode.INTERNAL, subject + ": " + failure.getCause(), failure);
  }
}
