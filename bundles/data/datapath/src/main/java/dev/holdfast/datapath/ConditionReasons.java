package dev.holdfast.datapath;

import dev.holdfast.error.ErrorCode;

/** Reasons of conditions that report a failure. */
public final class ConditionReasons {
  private ConditionReasons() {}

  /** Returns the reason that stands for an error code. */
  public static String of(ErrorCode code) {
    return switch (code) {
      case NOT_FOUND -> "NotFound";
      case ALREADY_EXISTS -> "AlreadyExists";
      case CONFLICT -> "Superseded";
      case INVALID -> "Invalid";
      case UNSUPPORTED -> "NotInstalled";
      case NO_SPACE -> "NoSpace";
      case BUSY -> "Busy";
      case UNREACHABLE -> "Unreachable";
      case TIMEOUT -> "Timeout";
      case EXPIRED -> "Expired";
      case FORBIDDEN -> "Forbidden";
      case IO -> "IOError";
      case INTERNAL -> "InternalError";
    };
  }
}
