package dev.holdfast.apiserver.internal.auth;

import dev.holdfast.cluster.ClusterMembers;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The members of the cluster for the server.
 *
 * @param token token of the administrator
 * @param decides whether this node will have the members after its start
 * @param cluster the members, present only if this node has them
 */
public record KnownMembers(
    String token, boolean decides, Supplier<Optional<ClusterMembers>> cluster) {
  public boolean areAwaited() {
    return decides && cluster.get().isEmpty();
  }
}
