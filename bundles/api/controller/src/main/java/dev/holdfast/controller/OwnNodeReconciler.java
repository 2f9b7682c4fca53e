package dev.holdfast.controller;

import dev.holdfast.error.StorageException;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.node.Node;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * A reconciler of the node on which it runs, such as one that passes settings on to a service of
 * that node. Each node runs its own. Calls follow the thread rules of {@link Reconciler}.
 */
@ConsumerType
public interface OwnNodeReconciler extends Reconciler<Node> {
  @Override
  default ResourceKind<Node> kind() {
    return Node.KIND;
  }

  @Override
  default Scope scope() {
    return Scope.NODE;
  }

  /** Makes a step for this node; ignores other nodes. */
  @Override
  default Result reconcile(String name, ReconcileContext context) throws StorageException {
    return name.equals(context.nodeName()) ? reconcileOwn(context) : Result.DONE;
  }

  /**
   * Makes one step for this node, which the context names.
   *
   * @param context to read and write resources, not null; the Node may not exist yet
   * @return when to be called again without a change, never null
   * @throws StorageException when the step failed, as of {@link Reconciler#reconcile}
   */
  Result reconcileOwn(ReconcileContext context) throws StorageException;
}
