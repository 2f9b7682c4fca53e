package dev.holdfast.cluster;

import java.time.Instant;
import java.util.Objects;

/**
 * A token that was just made.
 *
 * @param token what a node needs to join
 * @param expires until when it can be used
 */
public record IssuedToken(JoinToken token, Instant expires) {
  /** Checks that nothing is missing. */
  public IssuedToken {
    Objects.requireNonNull(token, "token");
    Objects.requireNonNull(expires, "expires");
  }
}
