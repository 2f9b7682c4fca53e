package dev.holdfast.attachment.internal;

import dev.holdfast.resource.node.EngineDeclaration;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The further nodes that serve a volume, in addition to the engine's node and the node that can
 * take over. CSI tickets request them if the engine admits any number of nodes. Live migration is
 * the case of two nodes.
 */
final class ServingNodes {
  private ServingNodes() {}

  /** Returns whether the engine of a migratable volume admits any number of nodes. */
  static boolean isAble(Volume volume, AttachmentView view) {
    return volume.spec().migratable()
        && EngineDeclaration.of(volume.spec().dataEngine(), view.nodes()).servesManyNodes();
  }

  /** Sets the further nodes in the decided spec. */
  static VolumeSpec in(
      VolumeSpec spec, Volume volume, List<TicketCandidate> wishes, AttachmentView view) {
    if (spec.nodeID().isEmpty()) {
      return spec.withServingNodeIDs(List.of());
    }
    boolean more =
        !spec.migrationNodeID().isEmpty()
            && MigrationRules.mayServeElsewhere(volume, wishes)
            && isAble(volume, view);
    List<String> nodes =
        wishes.stream()
            .filter(TicketCandidate::isCsi)
            .filter(wish -> !wish.nodeID().equals(spec.nodeID()))
            .filter(wish -> !wish.nodeID().equals(spec.migrationNodeID()))
            .filter(
                wish ->
                    volume.spec().servingNodeIDs().contains(wish.nodeID())
                        || (more && BlockedReason.of(wish, volume, view).isEmpty()))
            .map(TicketCandidate::nodeID)
            .distinct()
            .sorted()
            .toList();
    return spec.withServingNodeIDs(nodes);
  }

  /**
   * Returns the ticket of a serving node that can be prepared to take over; nodes that serve
   * already come first.
   */
  static Optional<TicketCandidate> heir(
      Volume volume, List<TicketCandidate> wishes, AttachmentView view) {
    List<TicketCandidate> serving =
        wishes.stream()
            .filter(TicketCandidate::isCsi)
            .filter(wish -> volume.spec().servingNodeIDs().contains(wish.nodeID()))
            .toList();
    return Stream.concat(serving.stream().filter(wish -> serves(wish, view)), serving.stream())
        .findFirst();
  }

  /** Returns the heir if its node was observed as serving hosts. */
  static Optional<TicketCandidate> servingHeir(
      Volume volume, List<TicketCandidate> wishes, AttachmentView view) {
    return heir(volume, wishes, view).filter(wish -> serves(wish, view));
  }

  private static boolean serves(TicketCandidate wish, AttachmentView view) {
    return ObservedFrontend.of(view, wish.nodeID()) == ObservedFrontend.SERVING;
  }
}
