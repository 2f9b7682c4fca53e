package dev.holdfast.apiserver.internal.auth;

import dev.holdfast.cluster.ClusterMembers;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Members that the server knows.
 *
 * @param token the administrator's
 * @param decides whether this node is the one that knows the nodes, as soon as it has started
 * @param cluster the nodes, where they are known
 */
public record KnownMembers(
    String token, boolean decides, Supplier<Optional<ClusterMembers>> cluster) {
  public boolean areAwaited() {
    return decides && cluster.get().isEmpty();
  }
}
