package dev.holdfast.apiserver.internal.auth;

import dev.holdfast.access.AccessControl;
import dev.holdfast.access.AccessDecision;
import dev.holdfast.access.AccessRequest;
import dev.holdfast.access.AccessRule;
import dev.holdfast.access.Caller;
import dev.holdfast.access.ClusterUsers;
import dev.holdfast.error.StorageException;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Decides by the rights of this node, and for users of the cluster also by the cluster. A request
 * is refused if neither permits it.
 */
public final class ReviewedAccess implements AccessControl {
  private final AccessControl own;
  private final Supplier<Optional<ClusterUsers>> cluster;

  /**
   * Creates the decisions.
   *
   * @param own decides about all callers first
   * @param cluster decides about its users, if present
   */
  public ReviewedAccess(AccessControl own, Supplier<Optional<ClusterUsers>> cluster) {
    this.own = own;
    this.cluster = cluster;
  }

  @Override
  public Optional<Caller> callerOf(String token) throws StorageException {
    return own.callerOf(token);
  }

  @Override
  public Optional<Caller> callerWith(String hash) throws StorageException {
    return own.callerWith(hash);
  }

  @Override
  public AccessDecision decide(Caller caller, AccessRequest request) {
    AccessDecision decision = own.decide(caller, request);
    if (decision.allowed() || !isOfTheCluster(caller)) {
      return decision;
    }
    return cluster.get().map(users -> users.decide(caller, request)).orElse(decision);
  }

  /** Returns whether the caller is a user of the cluster, according to the prefix of its name. */
  private static boolean isOfTheCluster(Caller caller) {
    return caller.type() == Caller.Type.USER && caller.name().startsWith(ClusterUsers.PREFIX);
  }

  @Override
  public List<AccessRule> rulesOf(Caller caller) {
    return own.rulesOf(caller);
  }

  @Override
  public boolean used(Caller caller, String source) {
    return own.used(caller, source);
  }
}
