package dev.holdfast.cli;

import dev.holdfast.cluster.ClusterAccess;
import dev.holdfast.cluster.IssuedToken;
import dev.holdfast.cluster.JoinToken;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Records its calls. */
final class FakeCluster implements ClusterAccess {
  static final JoinToken TOKEN = new JoinToken("0123456789abcdef", "s".repeat(32), "f".repeat(43));

  private final List<String> revoked = new ArrayList<>();

  @Override
  public IssuedToken newToken(Duration validity) {
    return new IssuedToken(TOKEN, Instant.EPOCH.plus(validity));
  }

  @Override
  public void revoke(String node) {
    revoked.add(node);
  }

  List<String> revoked() {
    return List.copyOf(revoked);
  }
}
