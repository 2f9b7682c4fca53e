package dev.holdfast.cluster;

import java.time.Instant;
import java.util.Objects;

/**
 * A newly created token.
 *
 * @param token what a node needs to join
 * @param expires end of its validity
 */
public record IssuedToken(JoinToken token, Instant expires) {
  /** Checks that all parts are present. */
  public IssuedToken {
    Objects.requireNonNull(token, "token");
    Objects.requireNonNull(expires, "expires");
  }
}
