package dev.holdfast.attachment.internal;

import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.AccessMode;
import dev.holdfast.resource.volume.Volume;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/** Builds the candidates of tickets: finds their types, and selects a node for open requests. */
final class TicketCandidates {
  private final AttachmentView view;
  private final List<TicketCandidate> asAsked;

  private TicketCandidates(AttachmentView view) {
    this.view = view;
    this.asAsked =
        view.attachment().spec().attachmentTickets().values().stream()
            .map(this::asAsked)
            .sorted(TicketCandidate.ORDER)
            .toList();
  }

  /** Returns all candidates in the order of selection. */
  static List<TicketCandidate> of(AttachmentView view) {
    TicketCandidates wishes = new TicketCandidates(view);
    return wishes.asAsked.stream()
        .map(wish -> wish.isOpen() ? wish.at(wishes.openNode(wish)) : wish)
        .toList();
  }

  /**
   * Returns whether the volume's share satisfies a ticket instead of the volume. The ticket of the
   * share manager then represents it.
   */
  static boolean isShared(TicketCandidate wish, Volume volume) {
    return wish.isCsi()
        && volume.spec().accessMode() == AccessMode.READ_WRITE_MANY
        && !volume.spec().migratable();
  }

  private TicketCandidate asAsked(AttachmentTicket ticket) {
    return new TicketCandidate(
        ticket,
        ticket.nodeID(),
        Optional.ofNullable(view.types().get(ticket.type())),
        FrontendRequirement.of(ticket));
  }

  /**
   * Returns the node for an open request: the node of the volume, else the node of the first other
   * ticket that could then join, else the node of its data, else any node.
   */
  private String openNode(TicketCandidate wish) {
    String present = view.volume().map(volume -> volume.spec().nodeID()).orElse("");
    if (!present.isEmpty() && (wish.isWorkload() || !isLost(present))) {
      return present;
    }
    return Stream.of(
            wantedByOthers(),
            nodesWithReplica(false),
            readyNodes(false),
            nodesWithReplica(true),
            readyNodes(true))
        .flatMap(Function.identity())
        .findFirst()
        .orElse("");
  }

  /**
   * Returns whether a node is lost. Maintenance can run elsewhere and does not keep a volume on a
   * possibly dead node.
   */
  private boolean isLost(String node) {
    return view.node(node).filter(found -> !BlockedReason.isLost(found)).isEmpty();
  }

  private Stream<String> wantedByOthers() {
    if (view.volume().isEmpty()) {
      return Stream.empty();
    }
    Volume volume = view.volume().get();
    return asAsked.stream()
        .filter(other -> !other.isOpen() && !isShared(other, volume))
        .filter(other -> BlockedReason.of(other, volume, view).isEmpty())
        .map(TicketCandidate::nodeID);
  }

  private Stream<String> nodesWithReplica(boolean cordoned) {
    return readyNodes(cordoned).filter(this::hasReplica);
  }

  private boolean hasReplica(String name) {
    return view.node(name)
        .filter(
            node ->
                view.usableReplicas().stream()
                    .anyMatch(
                        replica ->
                            replica.spec().nodeID().equals(name)
                                || (replica.isOnSharedDisk() && replica.diskOn(node).isPresent())))
        .isPresent();
  }

  private Stream<String> readyNodes(boolean cordoned) {
    return view.nodes().stream()
        .filter(node -> BlockedReason.isReady(node) && node.isCordoned() == cordoned)
        .map(Node::name)
        .sorted();
  }
}
