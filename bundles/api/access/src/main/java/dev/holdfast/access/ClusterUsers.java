package dev.holdfast.access;

import dev.holdfast.error.StorageException;
import java.util.Optional;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Users of the cluster whose API server keeps the resources, such as Kubernetes: that server says
 * whose token this is, and what the user may do. Register the implementation as an OSGi service.
 * Implementations are thread-safe.
 */
@ConsumerType
public interface ClusterUsers {
  /** Begins the names of these users and of their groups. */
  String PREFIX = "kubernetes:";

  /**
   * Returns the user of a token that was reviewed in the last minutes. Does not block.
   *
   * @param token as the client sent it, not null
   * @return empty unless the last review named a user
   */
  Optional<UserCredential> known(String token);

  /**
   * Returns the user of a token. Asks the cluster, unless it did in the last seconds.
   *
   * @param token as the client sent it, not null
   * @return the user, whose name and groups begin with {@link #PREFIX}; empty when the cluster does
   *     not know the token
   * @throws StorageException FORBIDDEN when the node may not ask; UNREACHABLE, TIMEOUT or BUSY when
   *     the cluster does not answer
   */
  Optional<UserCredential> review(String token) throws StorageException;

  /**
   * Returns whether sessions of a user continue: the user is one of the cluster that keeps the
   * resources now. Does not block.
   *
   * @param user that {@link #review} returned, not null
   * @return false unless the implementation knows its users again
   * @since 0.3
   */
  default boolean accepts(UserCredential user) {
    return false;
  }

  /**
   * Decides whether a user may send a request. Asks the cluster, unless it did in the last seconds;
   * while it does not answer, its last decision holds.
   *
   * @param caller a user of {@link #review}, not null
   * @param request what it asks, not null
   * @return the decision with the reason of the cluster, never null
   */
  AccessDecision decide(Caller caller, AccessRequest request);
}
