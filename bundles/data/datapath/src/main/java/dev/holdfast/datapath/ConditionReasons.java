package dev.holdfast.datapath;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.resource.volume.Engine;

/** Reasons of conditions that report a failure. */
public final class ConditionReasons {
  private ConditionReasons() {}

  /** Returns the reason of an error code. */
  public static String of(ErrorCode code) {
    return switch (code) {
      case NOT_FOUND -> "NotFound";
      case ALREADY_EXISTS -> "AlreadyExists";
      case CONFLICT -> "Superseded";
      case INVALID -> "Invalid";
      case UNSUPPORTED -> Engine.NOT_INSTALLED_REASON;
      case NO_SPACE -> "NoSpace";
      case BUSY -> "Busy";
      case UNREACHABLE -> Engine.UNREACHABLE_REASON;
      case TIMEOUT -> "Timeout";
      case EXPIRED -> "Expired";
      case FORBIDDEN -> "Forbidden";
      case IO -> "IOError";
      case INTERNAL -> "InternalError";
    };
  }
}
