package dev.holdfast.apiserver.internal;

import dev.holdfast.certificates.TrustReport;
import dev.holdfast.cluster.ClusterMembers;
import dev.holdfast.cluster.ClusterRotation;
import dev.holdfast.cluster.IssuedToken;
import dev.holdfast.cluster.JoinAnswer;
import dev.holdfast.cluster.JoinToken;
import dev.holdfast.cluster.RotationStatus;
import dev.holdfast.cluster.RotationStatus.Phase;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Members that have the credential {@code credential-of-NODE}; one token for all. */
final class FakeMembers implements ClusterMembers {
  static final JoinToken TOKEN = new JoinToken("0123456789abcdef", "s".repeat(32), "f".repeat(43));

  private final Map<String, String> credentials = new HashMap<>();

  FakeMembers(String... nodes) {
    for (String node : nodes) {
      credentials.put("credential-of-" + node, node);
    }
  }

  @Override
  public IssuedToken newToken(Duration validity) {
    return new IssuedToken(TOKEN, Instant.EPOCH.plus(validity));
  }

  @Override
  public void revoke(String node) {
    credentials.remove("credential-of-" + node);
  }

  @Override
  public String authority() {
    return "the authority";
  }

  @Override
  public JoinAnswer join(String token, String request) throws StorageException {
    if (!token.equals(TOKEN.text())) {
      throw new StorageException(ErrorCode.FORBIDDEN, "the token is not known here");
    }
    return new JoinAnswer(request, authority(), "certificate", "credential-of-" + request);
  }

  @Override
  public String renew(String node, String request) {
    return "certificate of " + node;
  }

  @Override
  public String report(String node, TrustReport report) {
    return node + " trusts " + report.trusted() + " by " + report.issuer();
  }

  @Override
  public ClusterRotation rotation() {
    return new FakeRotation();
  }

  /** A rotation that is ready, and then done. */
  private static final class FakeRotation implements ClusterRotation {
    @Override
    public RotationStatus status() {
      return new RotationStatus(Phase.READY, "ab12", List.of(), List.of("node-9"));
    }

    @Override
    public RotationStatus rotate(boolean force) throws StorageException {
      if (!force) {
        throw new StorageException(ErrorCode.BUSY, "node-2 is away");
      }
      return new RotationStatus(Phase.TRUST, "ab12", List.of("node-2: follows"), List.of());
    }

    @Override
    public RotationStatus finish(boolean force) {
      return new RotationStatus(Phase.NONE, "cd34", List.of(), List.of());
    }
  }

  @Override
  public Optional<String> nodeOf(String credential) {
    return Optional.ofNullable(credentials.get(credential));
  }
}
