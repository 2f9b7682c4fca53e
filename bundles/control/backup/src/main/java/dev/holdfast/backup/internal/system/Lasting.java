package dev.holdfast.backup.internal.system;

import dev.holdfast.error.StorageException;

/** Identifies failures that a repetition does not correct. */
final class Lasting {
  private Lasting() {}

  /** Returns whether a repetition fails in the same way. */
  static boolean is(StorageException failure) {
    return switch (failure.code()) {
      case INVALID, UNSUPPORTED, ALREADY_EXISTS -> true;
      case NOT_FOUND,
          CONFLICT,
          NO_SPACE,
          BUSY,
          UNREACHABLE,
          TIMEOUT,
          EXPIRED,
          FORBIDDEN,
          IO,
          INTERNAL ->
          false;
    };
  }
}
