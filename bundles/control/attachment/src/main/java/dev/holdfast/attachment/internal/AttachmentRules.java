package dev.holdfast.attachment.internal;

import dev.holdfast.resource.attachment.AttachmentTicketStatus;
import dev.holdfast.resource.attachment.VolumeAttachmentStatus;
import dev.holdfast.resource.volume.CloneSource;
import dev.holdfast.resource.volume.Robustness;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.resource.volume.VolumeState;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The rules of attachment. First they decide whether the volume must leave its node or moves in
 * use. Then, only for a fully detached volume, they select the ticket for the attachment. Priority
 * never detaches a volume, and a ticket that a workload would immediately interrupt is not
 * selected. Each ticket is evaluated last, with the action of this pass.
 */
final class AttachmentRules implements AttachmentPolicy {

  @Override
  public Decision next(AttachmentView view) {
    List<TicketCandidate> wishes = TicketCandidates.of(view);
    if (view.volume().isEmpty()) {
      return new Decision(
          Optional.empty(), status(wishes, view, wish -> TicketResult.volumeNotFound(view)));
    }
    Volume volume = view.volume().get();
    List<TicketCandidate> counted =
        wishes.stream().filter(w -> !TicketCandidates.isShared(w, volume)).toList();
    AttachmentAction move = move(volume, counted, view);
    VolumeSpec moved = move.appliedTo(volume.spec());
    VolumeSpec spec = ServingNodes.in(shown(moved, volume), volume, counted, view);
    TicketEvaluator judge = new TicketEvaluator(volume, spec, move, counted, view);
    return new Decision(Optional.of(spec), status(wishes, view, judge::judge));
  }

  /** Disables the frontend of a standby volume, even for a ticket that requests one. */
  private static VolumeSpec shown(VolumeSpec spec, Volume volume) {
    boolean hidden = volume.isStandby() && !spec.nodeID().isEmpty();
    return hidden ? spec.withDisableFrontend(true) : spec;
  }

  private static VolumeAttachmentStatus status(
      List<TicketCandidate> wishes,
      AttachmentView view,
      Function<TicketCandidate, TicketResult> judge) {
    VolumeAttachmentStatus earlier = view.attachment().status();
    Map<String, AttachmentTicketStatus> statuses = new TreeMap<>();
    Map<String, TicketResult> verdicts = new LinkedHashMap<>();
    for (TicketCandidate wish : wishes) {
      String id = wish.ticket().id();
      TicketResult verdict = judge.apply(wish);
      verdicts.put(id, verdict);
      statuses.put(
          id,
          verdict.toStatus(
              wish, Optional.ofNullable(earlier.attachmentTicketStatuses().get(id)), view.now()));
    }
    return new VolumeAttachmentStatus(
        statuses, TicketResult.summary(verdicts, earlier.conditions(), view.now()));
  }

  private static AttachmentAction move(
      Volume volume, List<TicketCandidate> wishes, AttachmentView view) {
    if (!volume.spec().nodeID().isEmpty()) {
      return leave(volume, wishes, view)
          .or(() -> MigrationRules.next(volume, wishes, view))
          .orElse(AttachmentAction.KEEP);
    }
    if (MigrationRules.isUnderWay(volume)) {
      return AttachmentAction.ROLL_BACK;
    }
    // The source of an unfinished copy stays attached until the copy has read it completely.
    boolean leaving =
        volume.isBeingDeleted() && !volume.metadata().hasFinalizer(CloneSource.NEEDED_FINALIZER);
    if (!isFullyDetached(volume) || isFaulted(volume) || leaving) {
      return AttachmentAction.KEEP;
    }
    return wishes.stream()
        .filter(wish -> BlockedReason.of(wish, volume, view).isEmpty())
        .filter(
            wish ->
                !mustLeave(
                    AttachmentAction.attach(wish).appliedTo(volume.spec()), volume, wishes, view))
        .findFirst()
        .filter(wish -> !MigrationRules.isAmbiguous(wish, volume, wishes, view))
        .map(AttachmentAction::attach)
        .orElse(AttachmentAction.KEEP);
  }

  private static Optional<AttachmentAction> leave(
      Volume volume, List<TicketCandidate> wishes, AttachmentView view) {
    boolean must =
        isFaulted(volume)
            || (!MigrationRules.isUnderWay(volume)
                && mustLeave(volume.spec(), volume, wishes, view));
    return must ? Optional.of(AttachmentAction.DETACH) : Optional.empty();
  }

  /** Returns whether an attached volume must leave its node at once. */
  private static boolean mustLeave(
      VolumeSpec spec, Volume volume, List<TicketCandidate> wishes, AttachmentView view) {
    String nodeID = spec.nodeID();
    boolean disabled = spec.disableFrontend();
    List<TicketCandidate> holders =
        wishes.stream()
            .filter(wish -> wish.nodeID().equals(nodeID) && wish.frontend().allows(disabled))
            .toList();
    Predicate<TicketCandidate> waitingWorkload =
        wish ->
            !wish.nodeID().equals(nodeID)
                && wish.isWorkload()
                && BlockedReason.of(wish, volume, view).isEmpty();
    return holders.isEmpty()
        || (holders.stream().allMatch(TicketCandidate::isInterruptible)
            && wishes.stream().anyMatch(waitingWorkload));
  }

  static boolean isFaulted(Volume volume) {
    return volume.status().robustness() == Robustness.FAULTED;
  }

  private static boolean isFullyDetached(Volume volume) {
    return volume.status().currentNodeID().isEmpty()
        && volume.status().currentMigrationNodeID().isEmpty()
        && volume.status().state() == VolumeState.DETACHED;
  }
}
