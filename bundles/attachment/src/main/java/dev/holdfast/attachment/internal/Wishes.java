package dev.holdfast.attachment.internal;

import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.AccessMode;
import dev.holdfast.resource.volume.Volume;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/** Makes wishes of tickets: finds their types, and a node for those that leave it open. */
final class Wishes {
  private final AttachmentView view;
  private final List<Wish> asAsked;

  private Wishes(AttachmentView view) {
    this.view = view;
    this.asAsked =
        view.attachment().spec().attachmentTickets().values().stream()
            .map(this::asAsked)
            .sorted(Wish.ORDER)
            .toList();
  }

  /** Returns all wishes, in the order of selection. */
  static List<Wish> of(AttachmentView view) {
    Wishes wishes = new Wishes(view);
    return wishes.asAsked.stream()
        .map(wish -> wish.isOpen() ? wish.at(wishes.openNode(wish)) : wish)
        .toList();
  }

  /**
   * Whether a wish is met by the volume's share instead of by the volume: then another ticket, the
   * share manager's, stands for it.
   */
  static boolean isShared(Wish wish, Volume volume) {
    return wish.isCsi()
        && volume.spec().accessMode() == AccessMode.READ_WRITE_MANY
        && !volume.spec().migratable();
  }

  private Wish asAsked(AttachmentTicket ticket) {
    return new Wish(
        ticket,
        ticket.nodeID(),
        Optional.ofNullable(view.types().get(ticket.type())),
        FrontendDemand.of(ticket));
  }

  /**
   * Where a ticket goes that leaves it open: to where the volume is, else to where the first other
   * ticket wants it, which then can join, else to where its data is, else anywhere.
   */
  private String openNode(Wish wish) {
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

  /** Maintenance can be done elsewhere; it does not keep a volume at a node that may be dead. */
  private boolean isLost(String node) {
    return view.node(node).filter(found -> !Obstacle.isLost(found)).isEmpty();
  }

  private Stream<String> wantedByOthers() {
    if (view.volume().isEmpty()) {
      return Stream.empty();
    }
    Volume volume = view.volume().get();
    return asAsked.stream()
        .filter(other -> !other.isOpen() && !isShared(other, volume))
        .filter(other -> Obstacle.of(other, volume, view).isEmpty())
        .map(Wish::nodeID);
  }

  private Stream<String> nodesWithReplica(boolean cordoned) {
    List<String> withReplica =
        view.usableReplicas().stream().map(replica -> replica.spec().nodeID()).toList();
    return readyNodes(cordoned).filter(withReplica::contains);
  }

  private Stream<String> readyNodes(boolean cordoned) {
    return view.nodes().stream()
        .filter(node -> Obstacle.isReady(node) && node.isCordoned() == cordoned)
        .map(Node::name)
        .sorted();
  }
}
