package dev.holdfast.attachment.internal;

import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeState;
import java.util.List;
import java.util.Optional;

/**
 * When a volume moves to another node while it is in use: two CSI tickets ask for two nodes. The
 * first ticket that is removed decides: that of the source confirms, that of the target rolls back.
 * Where the engine admits any number of nodes, further nodes serve it too, and one of them is
 * prepared as soon as the target took the volume over or left.
 *
 * <pre>
 *            second CSI ticket                source's ticket gone, target ready
 *   attached ─────────────────► preparing ──────────────────────────────────► attached there
 *       ▲                          │ │
 *       └── target's ticket gone ──┘ └── source's ticket gone, target not ready ──► detaching
 * </pre>
 */
final class MigrationRules {
  private MigrationRules() {}

  static boolean isUnderWay(Volume volume) {
    return !volume.spec().migrationNodeID().isEmpty() || !volume.spec().servingNodeIDs().isEmpty();
  }

  /** Whether the volume is attached, and is not copied: a copying uses it on one node. */
  static boolean mayServeElsewhere(Volume volume, List<TicketCandidate> wishes) {
    return volume.spec().migratable()
        && isAttached(volume)
        && !volume.awaitsContent()
        && wishes.stream().noneMatch(TicketCandidate::isCopying);
  }

  /** The next step of a volume that is attached, empty when it has none. */
  static Optional<AttachmentAction> next(
      Volume volume, List<TicketCandidate> wishes, AttachmentView view) {
    if (isUnderWay(volume)) {
      return Optional.of(underWay(volume, wishes, view));
    }
    return candidate(volume, wishes, view)
        .filter(wish -> mayServeElsewhere(volume, wishes))
        .filter(wish -> BlockedReason.of(wish, volume, view).isEmpty())
        .map(AttachmentAction::prepare);
  }

  private static AttachmentAction underWay(
      Volume volume, List<TicketCandidate> wishes, AttachmentView view) {
    String target = volume.spec().migrationNodeID();
    Optional<TicketCandidate> arriving =
        csiFor(target, wishes).stream().filter(wish -> !target.isEmpty()).findFirst();
    Optional<TicketCandidate> heir =
        ServingNodes.heir(volume, wishes, view)
            .filter(wish -> volume.spec().migratable() && isAttached(volume));
    if (arriving.isEmpty() || !volume.spec().migratable()) {
      return heir.map(AttachmentAction::prepare).orElseGet(() -> withoutTarget(volume, wishes));
    }
    if (!csiFor(volume.spec().nodeID(), wishes).isEmpty()) {
      return AttachmentAction.KEEP;
    }
    if (isReady(volume, view) || isLeftBehind(volume, view)) {
      return AttachmentAction.confirm(arriving.get());
    }
    // The target was never admitted, or its node is lost permanently: no client uses the volume
    // now, so it can take the long way. A silent target that was admitted may still use it.
    boolean wasReady = volume.status().isForwardedBy(target);
    if (wasReady && view.node(target).isPresent()) {
      return AttachmentAction.KEEP;
    }
    return ServingNodes.servingHeir(volume, wishes, view)
        .filter(wish -> heir.isPresent())
        .map(AttachmentAction::prepare)
        .orElse(AttachmentAction.DETACH);
  }

  /**
   * No ticket requests the migration target, and no other node can be prepared. A volume that just
   * changes its node, and is not asked for there, would stay without an owner.
   */
  private static AttachmentAction withoutTarget(Volume volume, List<TicketCandidate> wishes) {
    boolean arrives = volume.spec().migrationNodeID().isEmpty() && !isAttached(volume);
    return arrives && csiFor(volume.spec().nodeID(), wishes).isEmpty()
        ? AttachmentAction.DETACH
        : AttachmentAction.ROLL_BACK;
  }

  /** Whether the volume was seen to be ready at the node to which it moves. */
  static boolean isReady(Volume volume, AttachmentView view) {
    String target = volume.spec().migrationNodeID();
    return isAttached(volume)
        && volume.status().currentMigrationNodeID().equals(target)
        && ObservedFrontend.of(view, target) == ObservedFrontend.SERVING;
  }

  /**
   * Whether the target was admitted and its node is there, but it cannot be seen to serve because
   * the source is not: it opens the volume itself, which needs nothing of the source.
   */
  private static boolean isLeftBehind(Volume volume, AttachmentView view) {
    String target = volume.spec().migrationNodeID();
    boolean sourceLost =
        view.node(volume.spec().nodeID()).filter(node -> !BlockedReason.isLost(node)).isEmpty();
    return isAttached(volume)
        && volume.status().isForwardedBy(target)
        && view.isReady(target)
        && sourceLost;
  }

  private static boolean isAttached(Volume volume) {
    return volume.status().state() == VolumeState.ATTACHED
        && volume.status().currentNodeID().equals(volume.spec().nodeID())
        && !volume.spec().disableFrontend();
  }

  /**
   * Returns the other requested node, if there is exactly one. With several, the target is
   * ambiguous, unless the engine admits any number of nodes: then the first one that can serve is
   * prepared.
   */
  private static Optional<TicketCandidate> candidate(
      Volume volume, List<TicketCandidate> wishes, AttachmentView view) {
    boolean inUse = !csiFor(volume.spec().nodeID(), wishes).isEmpty();
    List<TicketCandidate> others =
        wishes.stream()
            .filter(TicketCandidate::isCsi)
            .filter(wish -> !wish.nodeID().equals(volume.spec().nodeID()))
            .toList();
    if (ServingNodes.isAble(volume, view)) {
      return others.stream()
          .filter(wish -> inUse && BlockedReason.of(wish, volume, view).isEmpty())
          .findFirst();
    }
    boolean one = others.stream().map(TicketCandidate::nodeID).distinct().count() == 1;
    return others.stream().findFirst().filter(wish -> inUse && one);
  }

  /**
   * Returns whether several nodes are requested and none can be chosen: the volume is detached and
   * was perhaps on the move, or it is attached and may move to only one of them.
   */
  static boolean isAmbiguous(
      TicketCandidate wish, Volume volume, List<TicketCandidate> wishes, AttachmentView view) {
    return volume.spec().migratable()
        && !ServingNodes.isAble(volume, view)
        && !isUnderWay(volume)
        && wish.isCsi()
        && wishes.stream()
                .filter(TicketCandidate::isCsi)
                .map(TicketCandidate::nodeID)
                .filter(node -> !node.equals(volume.spec().nodeID()))
                .distinct()
                .count()
            > 1;
  }

  private static List<TicketCandidate> csiFor(String node, List<TicketCandidate> wishes) {
    return wishes.stream()
        .filter(TicketCandidate::isCsi)
        .filter(w -> w.nodeID().equals(node))
        .toList();
  }
}
