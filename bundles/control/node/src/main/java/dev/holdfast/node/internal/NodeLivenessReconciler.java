package dev.holdfast.node.internal;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Scope;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.cluster.Lease;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/** Marks unreachable nodes; a returning node reports itself. */
@Component(service = Reconciler.class)
public final class NodeLivenessReconciler implements Reconciler<Node> {
  private final NodeLiveness liveness = new NodeLiveness();

  /** Creates the reconciler. */
  @Activate
  public NodeLivenessReconciler() {}

  @Override
  public String name() {
    return "node-liveness";
  }

  @Override
  public ResourceKind<Node> kind() {
    return Node.KIND;
  }

  @Override
  public Scope scope() {
    return Scope.CLUSTER;
  }

  @Override
  public Result reconcile(String name, ReconcileContext context) throws StorageException {
    Optional<Node> node = context.get(Node.KIND, name);
    if (node.isEmpty()) {
      liveness.forget(name);
      return Result.DONE;
    }
    Instant now = context.clock().instant();
    Optional<Lease> lease = context.get(Lease.KIND, NodeHeartbeat.leaseName(name));
    if (!name.equals(context.nodeName())
        && !liveness.alive(name, lease, now)
        && !isRenewed(name, context, now)) {
      markUnknown(node.get(), context, now);
    }
    return Result.after(
        NodeHeartbeat.period(
            lease
                .map(l -> Duration.ofSeconds(Math.max(1, l.spec().leaseDurationSeconds())))
                .orElse(NodeLiveness.WITHOUT_LEASE)));
  }

  /** Reads the store, because an isolated observer missed the renewals of all nodes. */
  private boolean isRenewed(String name, ReconcileContext context, Instant now)
      throws StorageException {
    return liveness.alive(
        name, context.store().get(Lease.KIND, NodeHeartbeat.leaseName(name)), now);
  }

  private static void markUnknown(Node node, ReconcileContext context, Instant now)
      throws StorageException {
    NodeStatus status =
        node.status()
            .withConditions(
                Condition.with(
                    node.status().conditions(),
                    NodeLiveness.READY,
                    Condition.Status.UNKNOWN,
                    "NodeStatusUnknown",
                    "node " + node.name() + " does not renew its lease: see that it runs",
                    now));
    if (!status.equals(node.status())) {
      context.store().updateStatus(node.withStatus(status));
      context
          .events()
          .warning(node, Node.NOT_READY_REASON, "node " + node.name() + " stopped reporting");
    }
  }
}
