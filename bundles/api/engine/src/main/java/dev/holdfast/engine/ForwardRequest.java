package dev.holdfast.engine;

import java.time.Duration;
import java.util.Objects;

/**
 * Request of {@link ForwardingEngine#forward}.
 *
 * @param volume name of the volume, not null
 * @param toNode the node that has it open, not null
 * @param timeout how long one attempt to reach that node may take, not null
 */
public record ForwardRequest(String volume, String toNode, Duration timeout) {
  /** Checks that nothing is missing. */
  public ForwardRequest {
    Objects.requireNonNull(volume, "volume");
    Objects.requireNonNull(toNode, "toNode");
    Objects.requireNonNull(timeout, "timeout");
  }
}
