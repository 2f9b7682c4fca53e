package dev.holdfast.node.internal;

import dev.holdfast.certificates.MemberList;
import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Scope;
import dev.holdfast.controller.Watched;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.cluster.Lease;
import dev.holdfast.resource.node.Node;
import dev.holdfast.store.LabelSelector;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/**
 * Supplies the list of members to the ports between nodes: the Nodes of the store, each with the
 * key in the node's lease, which the lease's machine has published.
 */
@Component(service = Reconciler.class)
public final class MemberListReconciler implements Reconciler<Node> {
  private final MemberList list;

  /** Updates a list of members. */
  @Activate
  public MemberListReconciler(@Reference MemberList list) {
    this.list = list;
  }

  @Override
  public String name() {
    return "member-list";
  }

  @Override
  public ResourceKind<Node> kind() {
    return Node.KIND;
  }

  @Override
  public Scope scope() {
    return Scope.NODE;
  }

  @Override
  public List<Watched<?>> watches() {
    return List.of(
        new Watched<>(
            Lease.KIND, lease -> NodeHeartbeat.nodeOfLease(lease.name()).stream().toList()));
  }

  /** Synchronized, because an earlier list must not replace a later one. */
  @Override
  public synchronized Result reconcile(String name, ReconcileContext context)
      throws StorageException {
    Map<String, String> keys = new TreeMap<>();
    for (Node node : context.list(Node.KIND, LabelSelector.ALL)) {
      keys.put(
          node.name(),
          context
              .get(Lease.KIND, NodeHeartbeat.leaseName(node.name()))
              // A holder of release 0.2.0 keeps an existing annotation unchanged.
              .filter(lease -> NodeClaim.isIdentity(lease.spec().holderIdentity()))
              .map(lease -> lease.metadata().annotations().get(NodeHeartbeat.KEY))
              .orElse(MemberList.ANY_KEY));
    }
    list.replace(keys);
    return Result.DONE;
  }
}
