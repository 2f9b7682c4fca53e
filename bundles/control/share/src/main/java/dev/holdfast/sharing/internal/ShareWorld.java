package dev.holdfast.sharing.internal;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeState;
import dev.holdfast.share.ShareManager;
import dev.holdfast.sharing.internal.ShareFacts.Holder;
import dev.holdfast.store.LabelSelector;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Collects the facts from which the placement of a share is decided. */
final class ShareWorld {
  private final Stopwatches watches = new Stopwatches();
  private final ShareLeases leases = new ShareLeases();

  /** Reads resources, from the cache or from the store. */
  interface Reader {
    <R extends Resource<R>> Optional<R> get(ResourceKind<R> kind, String name)
        throws StorageException;
  }

  ShareFacts facts(ShareManager share, Reader reader, ReconcileContext context)
      throws StorageException {
    Instant now = context.clock().instant();
    Optional<Volume> volume = reader.get(Volume.KIND, share.name());
    Optional<VolumeAttachment> attachment = reader.get(VolumeAttachment.KIND, share.name());
    ShareNeed need = ShareNeed.of(share, volume, attachment);
    NodeChoice choice =
        volume.isPresent() && need == ShareNeed.REQUIRED
            ? choice(share, volume.get(), context, now)
            : NodeChoice.none("no node is needed");
    return new ShareFacts(
        need,
        holder(share, volume, reader, context),
        isAttached(volume, share.status().nodeID()),
        choice,
        watches.since(share.name() + " state", state(share), now),
        context.nodeName(),
        now);
  }

  private static List<Object> state(ShareManager share) {
    return List.of(
        share.status().state(), share.status().epoch().number(), share.status().nodeID());
  }

  void forget(String share) {
    watches.forget(share + " state");
    watches.forget(share + " failure");
  }

  /** Returns whether a volume is attached to a node, with its frontend. */
  static boolean isAttached(Optional<Volume> volume, String node) {
    return volume
        .filter(v -> v.status().state() == VolumeState.ATTACHED)
        .filter(v -> v.status().currentNodeID().equals(node))
        .filter(v -> !v.status().endpoint().isEmpty())
        .isPresent();
  }

  private NodeChoice choice(
      ShareManager share, Volume volume, ReconcileContext context, Instant now) {
    List<Node> nodes =
        context.list(Node.KIND, LabelSelector.ALL).stream()
            .filter(node -> !leases.isSilent(node.name(), context))
            .toList();
    List<Replica> replicas =
        context.list(Replica.KIND, LabelSelector.label(Volume.LABEL, volume.name()));
    Duration sinceFailure =
        watches.since(share.name() + " failure", share.status().failedNodes(), now);
    List<ShareManager> shares = context.list(ShareManager.KIND, LabelSelector.ALL);
    return new NodeSelection(
            share,
            volume,
            nodes,
            replicas,
            load(shares),
            SharePorts.occupied(share, shares),
            sinceFailure)
        .choose();
  }

  private static Map<String, Integer> load(List<ShareManager> shares) {
    Map<String, Integer> load = new HashMap<>();
    for (ShareManager share : shares) {
      load.merge(share.status().nodeID(), 1, Integer::sum);
    }
    return load;
  }

  private Holder holder(
      ShareManager share, Optional<Volume> volume, Reader reader, ReconcileContext context)
      throws StorageException {
    String name = share.status().nodeID();
    if (name.isEmpty()) {
      return Holder.NONE;
    }
    Optional<Node> node = reader.get(Node.KIND, name).filter(NodeSelection::isReporting);
    if (node.isEmpty() || leases.isSilent(name, context)) {
      return Holder.LOST;
    }
    boolean stays =
        volume.isEmpty()
            || new NodeSelection(
                    share, volume.get(), List.of(), List.of(), Map.of(), Set.of(), Duration.ZERO)
                .mayServe(node.get());
    return stays ? Holder.READY : Holder.LEAVING;
  }
}
