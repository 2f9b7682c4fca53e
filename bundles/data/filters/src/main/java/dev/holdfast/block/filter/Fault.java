package dev.holdfast.block.filter;

import dev.holdfast.error.ErrorCode;
import java.util.Objects;

/**
 * Fault of a request in a {@link FaultyDevice}.
 *
 * @param code code of the failure that the caller receives, not null
 * @param afterEffect whether the device below executes the request nevertheless, like a lost reply
 */
public record Fault(ErrorCode code, boolean afterEffect) {
  /** Checks that the code is present. */
  public Fault {
    Objects.requireNonNull(code, "code");
  }
}
