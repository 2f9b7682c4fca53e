package dev.holdfast.block.filter;

import dev.holdfast.error.ErrorCode;
import java.util.Objects;

/**
 * How a {@link FaultyDevice} spoils a request.
 *
 * @param code of the failure that the caller receives, not null
 * @param afterEffect whether the device below gets the request all the same: a lost answer
 */
public record Fault(ErrorCode code, boolean afterEffect) {
  /** Checks that nothing is missing. */
  public Fault {
    Objects.requireNonNull(code, "code");
  }
}
