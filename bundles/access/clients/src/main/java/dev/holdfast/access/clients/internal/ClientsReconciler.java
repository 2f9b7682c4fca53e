package dev.holdfast.access.clients.internal;

import dev.holdfast.access.BlockClient;
import dev.holdfast.controller.OwnNodeReconciler;
import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Watched;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.node.Node;
import dev.holdfast.store.LabelSelector;
import java.util.List;
import java.util.Optional;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/**
 * Passes the clients and the tickets of the store to the directory of this node, and reports in the
 * condition {@code DataPathAuthenticated} which clients need a credential.
 */
@Component(service = Reconciler.class)
public final class ClientsReconciler implements OwnNodeReconciler {
  static final String MODE = "holdfast.frontend.authentication";

  private final StoreClients clients;
  private final String mode;

  /** Updates the directory of this node. */
  @Activate
  public ClientsReconciler(@Reference StoreClients clients, BundleContext bundle) {
    this(clients, Optional.ofNullable(bundle.getProperty(MODE)).orElse(""));
  }

  ClientsReconciler(StoreClients clients, String mode) {
    this.clients = clients;
    this.mode = mode.strip();
  }

  @Override
  public String name() {
    return "block-clients";
  }

  @Override
  public List<Watched<?>> watches() {
    return List.of(Watched.wakingAll(BlockClient.KIND), Watched.wakingAll(VolumeAttachment.KIND));
  }

  @Override
  public Result reconcileOwn(ReconcileContext context) throws StorageException {
    Optional<Node> found = context.get(Node.KIND, context.nodeName());
    if (found.isEmpty()) {
      return Result.DONE;
    }
    clients.replace(
        ClientTable.of(
            context.list(BlockClient.KIND, LabelSelector.ALL),
            context.list(VolumeAttachment.KIND, LabelSelector.ALL)));
    Node node = found.get();
    List<Condition> before = node.status().conditions();
    List<Condition> after = condition(before, context);
    if (!after.equals(before)) {
      Node unused =
          context.store().updateStatus(node.withStatus(node.status().withConditions(after)));
    }
    return Result.DONE;
  }

  private List<Condition> condition(List<Condition> before, ReconcileContext context) {
    return switch (mode) {
      case "required" -> with(before, Condition.Status.TRUE, "Required", "", context);
      case "open-loopback" ->
          with(
              before,
              Condition.Status.FALSE,
              "OpenToThisMachine",
              "every account of this machine may use the attached volumes by the ports of NBD,"
                  + " iSCSI and NVMe",
              context);
      default ->
          with(
              before,
              Condition.Status.FALSE,
              Node.DATA_PATH_OPEN_REASON,
              "every client that reaches the ports of NBD, iSCSI and NVMe may use the attached"
                  + " volumes",
              context);
    };
  }

  private static List<Condition> with(
      List<Condition> before,
      Condition.Status status,
      String reason,
      String message,
      ReconcileContext context) {
    return Condition.with(
        before,
        Node.DATA_PATH_AUTHENTICATED_CONDITION,
        status,
        reason,
        message,
        context.clock().instant());
  }
}
