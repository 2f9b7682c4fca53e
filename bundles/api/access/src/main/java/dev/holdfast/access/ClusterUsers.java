package dev.holdfast.access;

import dev.holdfast.error.StorageException;
import java.util.Optional;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Users of the cluster whose API server keeps the resources, such as Kubernetes. That API server
 * identifies the user of a token and decides which requests the user may send. Register the
 * implementation as an OSGi service. Implementations are thread-safe.
 */
@ConsumerType
public interface ClusterUsers {
  /** Prefix of the names of these users and of their groups. */
  String PREFIX = "kubernetes:";

  /**
   * Returns the user of a token that was reviewed in the last minutes. Does not block.
   *
   * @param token as the client sent it, not null
   * @return empty unless the last review identified a user
   */
  Optional<UserCredential> known(String token);

  /**
   * Returns the user of a token. Sends a request to the cluster unless a result of the last seconds
   * is cached.
   *
   * @param token as the client sent it, not null
   * @return the user, whose name and groups begin with {@link #PREFIX}; empty when the cluster does
   *     not know the token
   * @throws StorageException FORBIDDEN when the node has no permission to review tokens;
   *     UNREACHABLE, TIMEOUT or BUSY when the cluster does not answer
   */
  Optional<UserCredential> review(String token) throws StorageException;

  /**
   * Returns whether sessions of a user remain valid, because the user belongs to the cluster that
   * keeps the resources at present. Does not block.
   *
   * @param user that {@link #review} returned, not null
   * @return false unless the implementation recognizes its users
   * @since 0.3
   */
  default boolean accepts(UserCredential user) {
    return false;
  }

  /**
   * Decides whether a user may send a request. Sends a request to the cluster unless a result of
   * the last seconds is cached. While the cluster does not answer, its last decision applies.
   *
   * @param caller a user of {@link #review}, not null
   * @param request the request, not null
   * @return the decision with the reason that the cluster gave, never null
   */
  AccessDecision decide(Caller caller, AccessRequest request);
}
