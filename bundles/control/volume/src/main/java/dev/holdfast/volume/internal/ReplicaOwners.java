package dev.holdfast.volume.internal;

import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.Replica;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Selects the nodes that reconcile replicas on shared disks. An owner remains while it is ready and
 * sees the disk, or if other nodes do not. Two nodes may act as owner for a time, because the
 * earlier one may not yet know the new selection. The actions of an owner are idempotent and do not
 * open the replica.
 */
final class ReplicaOwners {
  private final List<Replica> replicas;
  private final NodeInventory nodes;
  private final String user;

  ReplicaOwners(VolumeView view) {
    this(view.replicas(), view.nodes(), view.volume().spec().nodeID());
  }

  /**
   * Creates the selection.
   *
   * @param user the preferred node, empty for none
   */
  ReplicaOwners(List<Replica> replicas, NodeInventory nodes, String user) {
    this.replicas = replicas;
    this.nodes = nodes;
    this.user = user;
  }

  /**
   * Returns the replicas with a new owner.
   *
   * @param changed replicas whose spec is written in the same step; the next step handles them
   */
  List<Replica> chosen(List<Replica> changed) {
    Set<String> written = changed.stream().map(Replica::name).collect(Collectors.toSet());
    return replicas.stream()
        .filter(Replica::isOnSharedDisk)
        .filter(replica -> !written.contains(replica.name()))
        .flatMap(replica -> another(replica).map(owner -> owned(replica, owner)).stream())
        .toList();
  }

  private static Replica owned(Replica replica, String owner) {
    return replica.withStatus(replica.status().withOwnerID(owner));
  }

  private Optional<String> another(Replica replica) {
    List<String> seeing = nodes.seeing(replica).stream().map(Node::name).toList();
    return seeing.contains(replica.status().ownerID())
        ? Optional.empty()
        : seeing.stream()
            .min(
                Comparator.comparing((String node) -> !node.equals(user))
                    .thenComparing(Comparator.naturalOrder()));
  }
}
