package dev.holdfast.sharing.internal;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.RequestOutcome;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.InstanceState;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.share.ShareManager;
import dev.holdfast.share.ShareManagerStatus;
import dev.holdfast.share.ShareRequest;
import dev.holdfast.share.ShareServer;
import dev.holdfast.store.LabelSelector;
import java.util.List;
import java.util.Optional;

/**
 * Trims the filesystem of a share once for each id in {@code spec.trimRequest}. After a crash
 * before the outcome is recorded, the trim is repeated, which then frees little.
 *
 * @param name of the share
 * @param server of its protocol on this node
 * @param context of the reconciler; only its store and clock are used
 */
record ShareTrim(String name, ShareServer server, ReconcileContext context) {
  private static final int ATTEMPTS = 5;

  static boolean isPending(ShareManager share) {
    return share.status().state() == InstanceState.RUNNING
        && share.status().trim().isPending(share.spec().trimRequest());
  }

  void run() throws StorageException {
    Optional<ShareManager> share = mine();
    Optional<Volume> volume = context.store().get(Volume.KIND, name);
    if (share.filter(ShareTrim::isPending).isEmpty()
        || !ShareWorld.isAttached(volume, context.nodeName())) {
      return;
    }
    List<Node> nodes = context.store().list(Node.KIND, LabelSelector.ALL).items();
    ShareRequest request =
        ShareRequests.of(share.get(), volume.orElseThrow(), nodes, context.nodeName());
    record(outcome(share.get().spec().trimRequest(), request));
  }

  private Optional<ShareManager> mine() throws StorageException {
    return context
        .store()
        .get(ShareManager.KIND, name)
        .filter(share -> share.status().nodeID().equals(context.nodeName()));
  }

  private RequestOutcome outcome(String id, ShareRequest request) {
    RequestOutcome ended =
        RequestOutcome.EMPTY
            .withRequestID(id)
            .withFinishedAt(Optional.of(context.clock().instant()));
    try {
      return ended.withResult(new Quantity(server.trim(request)) + " trimmed");
    } catch (StorageException e) {
      return ended.withError(String.valueOf(e.getMessage()));
    }
  }

  /** Records only the outcome, because other writers change the share's status often. */
  private void record(RequestOutcome outcome) throws StorageException {
    for (int attempt = 1; ; attempt++) {
      Optional<ShareManager> share = mine();
      if (share.isEmpty()) {
        return;
      }
      try {
        ShareManagerStatus next = share.get().status().withTrim(outcome);
        context.store().updateStatus(share.get().withStatus(next));
        return;
      } catch (StorageException e) {
        if (e.code() != ErrorCode.CONFLICT || attempt == ATTEMPTS) {
          throw e;
        }
      }
    }
  }
}
