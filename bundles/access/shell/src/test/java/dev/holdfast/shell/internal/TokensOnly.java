package dev.holdfast.shell.internal;

import dev.holdfast.cluster.ClusterAccess;
import dev.holdfast.cluster.ClusterRotation;
import dev.holdfast.cluster.IssuedToken;
import dev.holdfast.cluster.JoinToken;
import java.time.Duration;
import java.time.Instant;

/** Makes tokens. */
final class TokensOnly implements ClusterAccess {
  @Override
  public IssuedToken newToken(Duration validity) {
    JoinToken token = new JoinToken("0123456789abcdef", "s".repeat(32), "f".repeat(43));
    return new IssuedToken(token, Instant.EPOCH.plus(validity));
  }

  @Override
  public void revoke(String node) {
    throw new UnsupportedOperationException(node);
  }

  @Override
  public ClusterRotation rotation() {
    throw new UnsupportedOperationException("rotation");
  }
}
