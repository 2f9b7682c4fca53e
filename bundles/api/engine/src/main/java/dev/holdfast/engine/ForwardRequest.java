package dev.holdfast.engine;

import java.time.Duration;
import java.util.Objects;

/**
 * Request of {@link ForwardingEngine#forward}.
 *
 * @param volume name of the volume, not null
 * @param toNode the node on which the volume is open, not null
 * @param timeout time limit of one attempt to reach that node, not null
 */
public record ForwardRequest(String volume, String toNode, Duration timeout) {
  /** Rejects null components. */
  public ForwardRequest {
    Objects.requireNonNull(volume, "volume");
    Objects.requireNonNull(toNode, "toNode");
    Objects.requireNonNull(timeout, "timeout");
  }
}
