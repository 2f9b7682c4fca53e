package dev.holdfast.attachment.internal;

import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeState;
import java.util.List;
import java.util.Optional;

/**
 * Rules of live migration, which two CSI tickets for two nodes request. The first removed ticket
 * decides: removal of the source's ticket completes the move, removal of the target's ticket rolls
 * back. If the engine admits any number of nodes, further nodes serve the volume too. One of them
 * is prepared after the target took over the volume or left.
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

  /**
   * Returns whether the volume is attached and not being copied, because a copy uses it on one
   * node.
   */
  static boolean mayServeElsewhere(Volume volume, List<TicketCandidate> wishes) {
    return volume.spec().migratable()
        && isAttached(volume)
        && !volume.awaitsContent()
        && wishes.stream().noneMatch(TicketCandidate::isCopying);
  }

  /** Returns the next step for an attached volume, empty if none is needed. */
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
    // The target was never admitted, or its node is lost permanently. Clients do not use the volume
    // now, so it can be detached and attached again. An unreachable target that was admitted may
    // still use it.
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
   * Handles a volume whose migration target is not requested by tickets, if another node cannot be
   * prepared. A volume that just changes its node, and is not requested there, would remain without
   * an owner.
   */
  private static AttachmentAction withoutTarget(Volume volume, List<TicketCandidate> wishes) {
    boolean arrives = volume.spec().migrationNodeID().isEmpty() && !isAttached(volume);
    return arrives && csiFor(volume.spec().nodeID(), wishes).isEmpty()
        ? AttachmentAction.DETACH
        : AttachmentAction.ROLL_BACK;
  }

  /** Returns whether the volume was observed as ready on its target node. */
  static boolean isReady(Volume volume, AttachmentView view) {
    String target = volume.spec().migrationNodeID();
    return isAttached(volume)
        && volume.status().currentMigrationNodeID().equals(target)
        && ObservedFrontend.of(view, target) == ObservedFrontend.SERVING;
  }

  /**
   * Returns whether the target was admitted and is alive, but cannot be observed as serving because
   * the source is not. It then opens the volume itself, without the source.
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
   * Returns the other requested node, if it is unique. Several nodes are ambiguous, unless the
   * engine admits any number of nodes; then the first one that can serve is prepared.
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
   * Returns whether several nodes are requested but a choice is impossible: the volume is detached
   * and may have been moving, or it is attached and may move to only one of them.
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
