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
 * Gives the ports between nodes the list of members: the Nodes of the store, each with the key that
 * the machine that holds the node's lease has published there.
 */
@Component(service = Reconciler.class)
public final class MemberListReconciler implements Reconciler<Node> {
  private final MemberList list;

  /** Keeps a list up to date. */
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

  /** One list at a time: an earlier one must not replace a later one. */
  @Override
  public synchronized Result reconcile(String name, ReconcileContext context)
      throws StorageException {
    Map<String, String> keys = new TreeMap<>();
    for (Node node : context.list(Node.KIND, LabelSelector.ALL)) {
      keys.put(
          node.name(),
          context
              .get(Lease.KIND, NodeHeartbeat.leaseName(node.name()))
              // A holder of release 0.2.0 leaves the annotation as it was.
              .filter(lease -> NodeClaim.isIdentity(lease.spec().holderIdentity()))
              .map(lease -> lease.metadata().annotations().get(NodeHeartbeat.KEY))
              .orElse(MemberList.ANY_KEY));
    }
    list.replace(keys);
    return Result.DONE;
  }
}
