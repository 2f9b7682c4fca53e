package dev.holdfast.cli;

import dev.holdfast.cluster.ClusterAccess;
import dev.holdfast.cluster.ClusterRotation;
import dev.holdfast.cluster.IssuedToken;
import dev.holdfast.cluster.JoinToken;
import dev.holdfast.cluster.RotationStatus;
import dev.holdfast.cluster.RotationStatus.Phase;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Records its calls. */
final class FakeCluster implements ClusterAccess {
  static final JoinToken TOKEN = new JoinToken("0123456789abcdef", "s".repeat(32), "f".repeat(43));

  private final List<String> revoked = new ArrayList<>();
  private final FakeRotation rotation = new FakeRotation();

  @Override
  public IssuedToken newToken(Duration validity) {
    return new IssuedToken(TOKEN, Instant.EPOCH.plus(validity));
  }

  @Override
  public void revoke(String node) {
    revoked.add(node);
  }

  @Override
  public ClusterRotation rotation() {
    return rotation;
  }

  List<String> rotations() {
    return List.copyOf(rotation.calls);
  }

  /** A rotation that waits for {@code node-2}, until it is told to leave it behind. */
  private static final class FakeRotation implements ClusterRotation {
    private final List<String> calls = new ArrayList<>();

    @Override
    public RotationStatus status() {
      return new RotationStatus(Phase.RENEW, "ab12", List.of("node-2: follows"), List.of());
    }

    @Override
    public RotationStatus rotate(boolean force) {
      calls.add("rotate " + force);
      return new RotationStatus(Phase.READY, "ab12", List.of(), List.of());
    }

    @Override
    public RotationStatus finish(boolean force) {
      calls.add("finish " + force);
      return new RotationStatus(Phase.NONE, "cd34", List.of(), List.of("node-2"));
    }
  }

  List<String> revoked() {
    return List.copyOf(revoked);
  }
}
