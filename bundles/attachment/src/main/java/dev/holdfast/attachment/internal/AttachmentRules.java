package dev.holdfast.attachment.internal;

import dev.holdfast.attacher.AttacherType;
import dev.holdfast.resource.AttachmentTicket;
import dev.holdfast.resource.AttachmentTicketStatus;
import dev.holdfast.resource.Node;
import dev.holdfast.resource.Robustness;
import dev.holdfast.resource.Volume;
import dev.holdfast.resource.VolumeAttachmentStatus;
import dev.holdfast.resource.VolumeSpec;
import dev.holdfast.resource.VolumeState;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The rules of attachment. First whether the volume must leave its node, then, only when it is
 * fully detached, which ticket it is attached for: priority never takes a volume away from a node.
 * What became of each ticket is judged last, with the move of this pass in mind.
 */
final class AttachmentRules implements AttachmentPolicy {

  @Override
  public Decision next(AttachmentView view) {
    List<Wish> wishes = wishes(view);
    if (view.volume().isEmpty()) {
      return new Decision(
          Optional.empty(), status(wishes, view, wish -> TicketVerdict.volumeNotFound(view)));
    }
    Volume volume = view.volume().get();
    Move move = move(volume, wishes, view);
    VolumeSpec spec = move.appliedTo(volume.spec());
    return new Decision(
        Optional.of(spec),
        status(wishes, view, wish -> TicketVerdict.of(wish, volume, spec, move, view)));
  }

  private static VolumeAttachmentStatus status(
      List<Wish> wishes, AttachmentView view, Function<Wish, TicketVerdict> judge) {
    Map<String, AttachmentTicketStatus> statuses = new TreeMap<>();
    for (Wish wish : wishes) {
      statuses.put(
          wish.ticket().id(),
          judge
              .apply(wish)
              .toStatus(
                  wish,
                  Optional.ofNullable(
                      view.attachment()
                          .status()
                          .attachmentTicketStatuses()
                          .get(wish.ticket().id())),
                  view.now()));
    }
    return new VolumeAttachmentStatus(statuses);
  }

  private static List<Wish> wishes(AttachmentView view) {
    return view.attachment().spec().attachmentTickets().values().stream()
        .map(ticket -> wish(ticket, view))
        .sorted(Wish.ORDER)
        .toList();
  }

  private static Wish wish(AttachmentTicket ticket, AttachmentView view) {
    String nodeID = ticket.nodeID().isEmpty() ? openNode(view) : ticket.nodeID();
    return new Wish(
        ticket,
        nodeID,
        Optional.ofNullable(view.types().get(ticket.type())),
        FrontendDemand.of(ticket));
  }

  /** Where a ticket goes that leaves it open: to where the volume is, else to where its data is. */
  private static String openNode(AttachmentView view) {
    String wanted = view.volume().map(volume -> volume.spec().nodeID()).orElse("");
    if (!wanted.isEmpty()) {
      return wanted;
    }
    List<String> withReplica =
        view.replicas().stream()
            .filter(replica -> replica.spec().failedAt().isEmpty() && !replica.isBeingDeleted())
            .map(replica -> replica.spec().nodeID())
            .toList();
    List<String> ready =
        view.nodes().stream().filter(Obstacle::isReady).map(Node::name).sorted().toList();
    return Stream.concat(ready.stream().filter(withReplica::contains), ready.stream())
        .findFirst()
        .orElse("");
  }

  private static Move move(Volume volume, List<Wish> wishes, AttachmentView view) {
    if (!volume.spec().nodeID().isEmpty()) {
      return mustLeave(volume, wishes, view) ? Move.DETACH : Move.KEEP;
    }
    if (!isFullyDetached(volume) || isFaulted(volume) || volume.isBeingDeleted()) {
      return Move.KEEP;
    }
    return wishes.stream()
        .filter(wish -> Obstacle.of(wish, volume, view).isEmpty())
        .findFirst()
        .map(Move::attach)
        .orElse(Move.KEEP);
  }

  private static boolean mustLeave(Volume volume, List<Wish> wishes, AttachmentView view) {
    if (isFaulted(volume)) {
      return true;
    }
    String nodeID = volume.spec().nodeID();
    boolean disabled = volume.spec().disableFrontend();
    List<Wish> holders =
        wishes.stream()
            .filter(wish -> wish.nodeID().equals(nodeID) && wish.frontend().allows(disabled))
            .toList();
    Predicate<Wish> waitingWorkload =
        wish ->
            !wish.nodeID().equals(nodeID)
                && wish.hasRole(AttacherType.Role.WORKLOAD)
                && Obstacle.of(wish, volume, view).isEmpty();
    boolean interruptible =
        holders.stream().allMatch(wish -> wish.hasRole(AttacherType.Role.INTERRUPTIBLE));
    return holders.isEmpty() || (interruptible && wishes.stream().anyMatch(waitingWorkload));
  }

  static boolean isFaulted(Volume volume) {
    return volume.status().robustness() == Robustness.FAULTED;
  }

  private static boolean isFullyDetached(Volume volume) {
    return volume.spec().nodeID().isEmpty()
        && volume.status().currentNodeID().isEmpty()
        && volume.status().state() == VolumeState.DETACHED;
  }
}
