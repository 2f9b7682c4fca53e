package dev.holdfast.client;

import dev.holdfast.cluster.ClusterAccess;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.cluster.Lease;
import dev.holdfast.resource.node.Node;
import dev.holdfast.store.ResourceStore;
import java.util.Optional;

/** Removes nodes from the cluster. Thread-safe. */
public final class NodeMembers {
  private final ResourceStore store;
  private final ClusterAccess cluster;

  /** Manages the nodes of a store and the members of its cluster. */
  public NodeMembers(ResourceStore store, ClusterAccess cluster) {
    this.store = store;
    this.cluster = cluster;
  }

  /**
   * Removes a node: first its credential, so that it cannot register again, then its resource. The
   * volume controller handles its replicas. Call this method again after an interruption.
   *
   * @param name of the node, not null
   * @param force whether to remove the node despite the loss of data
   * @throws StorageException NOT_FOUND; BUSY when data would be lost and {@code force} is not set;
   *     INVALID when the node has the store; FORBIDDEN; UNREACHABLE; IO
   */
  public RemovedNode remove(String name, boolean force) throws StorageException {
    Node node = store.get(Node.KIND, name).orElseThrow(() -> StoreEditor.missing(Node.KIND, name));
    NodeHoldings holdings = NodeHoldings.of(name, store);
    if (!force && !holdings.isEmpty()) {
      throw new StorageException(
          ErrorCode.BUSY,
          "node "
              + name
              + " still has "
              + holdings.text()
              + ": detach its volumes and move its replicas first, or lose them with --force");
    }
    cluster.revoke(name);
    delete(Node.KIND, name, node.metadata().uid());
    Optional<Lease> lease = store.get(Lease.KIND, "node-" + name);
    if (lease.isPresent()) {
      delete(Lease.KIND, lease.get().name(), lease.get().metadata().uid());
    }
    return new RemovedNode(name, holdings.text());
  }

  private <R extends Resource<R>> void delete(ResourceKind<R> kind, String name, String uid)
      throws StorageException {
    try {
      store.delete(kind, name, uid);
    } catch (StorageException e) {
      if (e.code() != ErrorCode.NOT_FOUND) {
        throw e;
      }
    }
  }
}
