package dev.holdfast.attachment.internal;

import static dev.holdfast.attachment.internal.TicketResult.no;
import static dev.holdfast.attachment.internal.TicketResult.yes;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.volume.ServingNode;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.resource.volume.VolumeState;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Evaluates tickets after a pass by the observed state and the decision of the pass.
 *
 * @param volume state of the volume before the pass
 * @param spec spec of the volume after the pass
 * @param move action of the pass
 * @param wishes candidates that count for the move
 * @param view input of the pass
 */
record TicketEvaluator(
    Volume volume,
    VolumeSpec spec,
    AttachmentAction move,
    List<TicketCandidate> wishes,
    AttachmentView view) {
  private static final String SHARE_MANAGER = "share-manager-controller";

  TicketResult judge(TicketCandidate wish) {
    if (TicketCandidates.isShared(wish, volume)) {
      return shared();
    }
    if (AttachmentRules.isFaulted(volume)) {
      return no(
          Reasons.VOLUME_FAULTED,
          faultMessage(Volume.FAULTED_CONDITION)
              .orElse("volume " + volume.name() + " is faulted: no current replica is available"));
    }
    Optional<BlockedReason> cloning = BlockedReason.cloning(wish, volume);
    if (cloning.isPresent()) {
      return no(cloning.get());
    }
    return switch (move.kind()) {
      case DETACH -> no(Reasons.DETACHING, "leaves node " + volume.spec().nodeID());
      case ATTACH -> onItsWay(wish);
      case PREPARE, CONFIRM, ROLL_BACK -> placed(wish);
      case KEEP -> spec.nodeID().isEmpty() ? waiting(wish) : placed(wish);
    };
  }

  private TicketResult shared() {
    if (volume.isBeingDeleted()) {
      return deleting();
    }
    return volume.status().shareEndpoint().isEmpty()
        ? no(Reasons.SHARE_NOT_READY, whyNoShare())
        : yes(Reasons.SHARED);
  }

  /**
   * Returns why a share is missing. Only the share manager's attacher attaches a shared volume, and
   * only it sets the share.
   */
  private String whyNoShare() {
    String waits = "waits for the share of volume " + volume.name();
    return view.types().containsKey(SHARE_MANAGER)
        ? waits
        : waits
            + ", which needs attacher "
            + SHARE_MANAGER
            + ": it is not installed, so the volume is not exported";
  }

  private TicketResult deleting() {
    return no(Reasons.VOLUME_DELETING, "volume " + volume.name() + " is being deleted");
  }

  private TicketResult onItsWay(TicketCandidate wish) {
    return elsewhere(wish)
        .orElseGet(() -> no(Reasons.ATTACHING, "is being attached to node " + spec.nodeID()));
  }

  /** Returns the result of a ticket whose volume is not attached yet or must not be attached. */
  private TicketResult waiting(TicketCandidate wish) {
    if (volume.isBeingDeleted()) {
      return deleting();
    }
    Optional<BlockedReason> obstacle = BlockedReason.of(wish, volume, view);
    if (obstacle.isPresent()) {
      return no(obstacle.get());
    }
    if (MigrationRules.isAmbiguous(wish, volume, wishes, view)) {
      return ambiguous();
    }
    return switch (volume.status().state()) {
      case CREATING -> creating();
      case DETACHED -> no(Reasons.NOT_ATTACHED, "volume " + volume.name() + " is detached");
      case ATTACHING, ATTACHED, DETACHING, DELETING ->
          no(Reasons.DETACHING, "volume " + volume.name() + " is not fully detached yet");
    };
  }

  private TicketResult creating() {
    return faultMessage(Volume.SCHEDULED_CONDITION)
        .map(why -> no(Reasons.NOT_SCHEDULED, why))
        .orElseGet(
            () ->
                no(
                    Reasons.CREATING,
                    faultMessage(Volume.PROVISIONED_CONDITION)
                        .orElse("volume " + volume.name() + " is not made yet")));
  }

  private TicketResult ambiguous() {
    String nodes =
        wishes.stream()
            .filter(TicketCandidate::isCsi)
            .map(TicketCandidate::nodeID)
            .filter(node -> !node.equals(volume.spec().nodeID()))
            .distinct()
            .sorted()
            .collect(Collectors.joining(", "));
    return no(
        Reasons.MIGRATION_AMBIGUOUS,
        "pods ask for nodes " + nodes + ": all but one of these tickets must be taken back");
  }

  /** Returns the result for a volume with a node that moves or moved to another one. */
  private TicketResult placed(TicketCandidate wish) {
    if (isArriving(wish)) {
      return arriving();
    }
    if (isServing(wish)) {
      return serving(wish.nodeID());
    }
    Optional<TicketResult> elsewhere = elsewhere(wish);
    if (elsewhere.isPresent()) {
      return elsewhere.get();
    }
    String nodeID = spec.nodeID();
    return isAt(nodeID) ? attached(wish, nodeID) : going(nodeID);
  }

  private boolean isArriving(TicketCandidate wish) {
    return wish.isCsi() && wish.type().isPresent() && wish.nodeID().equals(spec.migrationNodeID());
  }

  /** Returns whether the ticket's node is one of several that serve the volume. */
  private boolean isServing(TicketCandidate wish) {
    return wish.isCsi() && wish.type().isPresent() && spec.servingNodeIDs().contains(wish.nodeID());
  }

  private TicketResult serving(String node) {
    if (!view.isReady(node)) {
      return no(Reasons.NODE_NOT_READY, "node " + node + " is not ready");
    }
    if (ObservedFrontend.of(view, node) == ObservedFrontend.SERVING) {
      return yes(Reasons.ATTACHED);
    }
    String why =
        view.engines().stream()
            .map(engine -> engine.status().servingNodes().getOrDefault(node, ServingNode.EMPTY))
            .map(ServingNode::message)
            .filter(message -> !message.isEmpty())
            .map(message -> ": " + message)
            .findFirst()
            .orElse("");
    return no(
        Reasons.ATTACHING,
        "node " + node + " is preparing to serve the volume beside node " + spec.nodeID() + why);
  }

  private TicketResult arriving() {
    if (move.kind() == AttachmentAction.Kind.KEEP && MigrationRules.isReady(volume, view)) {
      return yes(Reasons.READY_TO_MIGRATE);
    }
    String target = spec.migrationNodeID();
    if (!view.isReady(target)) {
      return no(Reasons.NODE_NOT_READY, "node " + target + " is not ready");
    }
    return no(
        Reasons.MIGRATING,
        faultMessage(Volume.MIGRATION_CONDITION)
            .orElse("node " + target + " is preparing to take the volume over"));
  }

  /**
   * Returns whether the volume is on a node. A volume with a confirmed migration is on its new node
   * before its status shows this.
   */
  private boolean isAt(String nodeID) {
    return volume.status().state() == VolumeState.ATTACHED
        && (volume.status().currentNodeID().equals(nodeID)
            || volume.status().currentMigrationNodeID().equals(nodeID));
  }

  private TicketResult attached(TicketCandidate wish, String nodeID) {
    if (wish.frontend().isMetBy(ObservedFrontend.of(view, nodeID))) {
      return yes(Reasons.ATTACHED);
    }
    if (!view.isReady(nodeID)) {
      return lost(nodeID);
    }
    return no(
        Reasons.FRONTEND_NOT_READY,
        "attached to node "
            + nodeID
            + ", where its engine or frontend is not ready"
            + faultMessage(Volume.ENGINE_READY_CONDITION).map(why -> ": " + why).orElse(""));
  }

  private static TicketResult lost(String nodeID) {
    return no(
        Reasons.NODE_NOT_READY,
        "attached to node "
            + nodeID
            + ", which is not ready; the volume stays there until its tickets for that node are"
            + " taken back");
  }

  private TicketResult going(String nodeID) {
    if (volume.status().state() == VolumeState.DETACHING) {
      return no(Reasons.DETACHING, "is detached first, to be attached again");
    }
    if (!view.isReady(nodeID)) {
      return lost(nodeID);
    }
    return engineRefuses()
        .map(
            why -> no(Reasons.ENGINE_NOT_READY, "is being attached to node " + nodeID + ": " + why))
        .orElseGet(() -> no(Reasons.ATTACHING, "is being attached to node " + nodeID));
  }

  /** Returns the refusal of the engine, empty if the engine was not started yet. */
  private Optional<String> engineRefuses() {
    return Condition.find(volume.status().conditions(), Volume.ENGINE_READY_CONDITION)
        .filter(condition -> !condition.reason().equals(Volume.NOT_RUNNING_REASON))
        .flatMap(condition -> faultMessage(Volume.ENGINE_READY_CONDITION));
  }

  /**
   * Returns the result if the volume is or will be attached to another node or in another way than
   * the ticket requires.
   */
  private Optional<TicketResult> elsewhere(TicketCandidate wish) {
    boolean otherNode = !wish.nodeID().equals(spec.nodeID());
    if (!otherNode && wish.frontend().allows(spec.disableFrontend())) {
      return Optional.empty();
    }
    if (wish.type().isEmpty()) {
      return Optional.of(no(BlockedReason.attacherUnavailable(wish)));
    }
    if (!otherNode) {
      return Optional.of(incompatible());
    }
    if (MigrationRules.isAmbiguous(wish, volume, wishes, view)) {
      return Optional.of(ambiguous());
    }
    return Optional.of(
        (isMigrationCandidate(wish)
                ? BlockedReason.of(wish, volume, view)
                : Optional.<BlockedReason>empty())
            .map(TicketResult::no)
            .orElseGet(
                () ->
                    no(
                        Reasons.OTHER_NODE,
                        "attached to different node "
                            + spec.nodeID()
                            + (givesWay(wish) ? ": a workload there has priority" : ""))));
  }

  private boolean givesWay(TicketCandidate wish) {
    return wish.isInterruptible()
        && wishes.stream()
            .anyMatch(other -> other.isWorkload() && other.nodeID().equals(spec.nodeID()));
  }

  private boolean isMigrationCandidate(TicketCandidate wish) {
    return volume.spec().migratable() && wish.isCsi();
  }

  private TicketResult incompatible() {
    return no(
        Reasons.INCOMPATIBLE,
        "already attached to node "
            + spec.nodeID()
            + (spec.disableFrontend() ? " without a frontend" : " with a frontend"));
  }

  /** Returns the message of a condition of the volume while it reports a fault. */
  private Optional<String> faultMessage(String type) {
    Condition.Status bad =
        type.equals(Volume.FAULTED_CONDITION) ? Condition.Status.TRUE : Condition.Status.FALSE;
    return Condition.find(volume.status().conditions(), type)
        .filter(condition -> condition.status() == bad && !condition.message().isEmpty())
        .map(Condition::message);
  }
}
