package dev.holdfast.attachment.internal;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.CloneSource;
import dev.holdfast.resource.volume.DataLocality;
import dev.holdfast.resource.volume.Volume;
import java.util.List;
import java.util.Optional;

/**
 * Reason why a ticket cannot be selected now, independent of the other tickets.
 *
 * @param reason for programs
 * @param message text for users
 */
record BlockedReason(String reason, String message) {

  static Optional<BlockedReason> of(TicketCandidate wish, Volume volume, AttachmentView view) {
    if (wish.type().isEmpty()) {
      return Optional.of(attacherUnavailable(wish));
    }
    Optional<BlockedReason> cloning = cloning(wish, volume).or(() -> standby(wish, volume));
    if (cloning.isPresent()) {
      return cloning;
    }
    if (wish.nodeID().isEmpty()) {
      return Optional.of(new BlockedReason(Reasons.NODE_NOT_READY, "no node is ready"));
    }
    Optional<Node> node = view.node(wish.nodeID());
    if (node.isEmpty()) {
      return Optional.of(
          new BlockedReason(Reasons.NODE_NOT_FOUND, "there is no node " + wish.nodeID()));
    }
    if (!isReady(node.get())) {
      return Optional.of(
          new BlockedReason(Reasons.NODE_NOT_READY, "node " + wish.nodeID() + " is not ready"));
    }
    return missingPlugin(wish, volume, node.get())
        .or(() -> strictlyLocal(wish, volume, view))
        .or(() -> unseenDisk(node.get(), volume, view));
  }

  /**
   * Until the first content of a volume is complete, only the ticket of the copy may be selected.
   * If the volume is usable during the copy, other tickets for the same node may be selected too,
   * and for any node if the content comes from a backup.
   */
  static Optional<BlockedReason> cloning(TicketCandidate wish, Volume volume) {
    boolean restored = !volume.spec().fromBackup().isEmpty();
    String copying =
        AttachmentTicket.idOf(
            restored ? TicketCandidate.RESTORING_TYPE : TicketCandidate.CLONING_TYPE,
            volume.name());
    if (!volume.awaitsContent() || wish.ticket().id().equals(copying)) {
      return Optional.empty();
    }
    if (restored && volume.isUsableWhileCopied()) {
      return Optional.empty();
    }
    if (restored) {
      String message = volume.status().restore().message();
      return Optional.of(
          new BlockedReason(
              Reasons.RESTORING,
              "volume "
                  + volume.name()
                  + ": the restore from its backup is not complete"
                  + (message.isEmpty() ? "" : ": " + message)));
    }
    String node = volume.status().cloneStatus().nodeID();
    if (volume.isUsableWhileCopied() && !node.isEmpty()) {
      return wish.nodeID().equals(node)
          ? Optional.empty()
          : Optional.of(
              new BlockedReason(
                  Reasons.CLONING,
                  "volume "
                      + volume.name()
                      + " is being copied on node "
                      + node
                      + ", where it can be used; on other nodes after the copy is complete"));
    }
    String source = volume.spec().cloneSource().map(CloneSource::volume).orElse("");
    String why = volume.status().cloneStatus().message();
    return Optional.of(
        new BlockedReason(
            Reasons.CLONING,
            "volume "
                + volume.name()
                + " is not copied from volume "
                + source
                + " yet"
                + (why.isEmpty() ? "" : ": " + why)));
  }

  /** Blocks clients of a volume that follows the backups of another one. */
  private static Optional<BlockedReason> standby(TicketCandidate wish, Volume volume) {
    boolean reachable = wish.isWorkload() || wish.frontend() == FrontendRequirement.ENABLED;
    if (!volume.isStandby() || !reachable) {
      return Optional.empty();
    }
    return Optional.of(
        new BlockedReason(
            Reasons.STANDBY,
            "volume "
                + volume.name()
                + (volume.spec().standby()
                    ? " is a standby volume: use 'holdfast volume activate " + volume.name() + "'"
                    : " is a standby volume, and its activation is not complete")));
  }

  /** Blocks other nodes for a volume that must run on the node of its only replica. */
  private static Optional<BlockedReason> strictlyLocal(
      TicketCandidate wish, Volume volume, AttachmentView view) {
    if (volume.spec().dataLocality() != DataLocality.STRICT_LOCAL) {
      return Optional.empty();
    }
    return view.usableReplicas().stream()
        .map(replica -> replica.spec().nodeID())
        .filter(node -> !node.isEmpty() && !node.equals(wish.nodeID()))
        .findFirst()
        .map(
            node ->
                new BlockedReason(
                    Reasons.STRICTLY_LOCAL,
                    "volume "
                        + volume.name()
                        + " is strict-local: it can be attached only to node "
                        + node
                        + ", where its replica is"));
  }

  /** Blocks nodes that do not see the shared disk of a volume. */
  private static Optional<BlockedReason> unseenDisk(Node node, Volume volume, AttachmentView view) {
    return view.usableReplicas().stream()
        .filter(view::isOnDiskOfVolume)
        .filter(replica -> replica.diskOn(node).isEmpty())
        .findFirst()
        .map(
            replica ->
                new BlockedReason(
                    Reasons.DISK_NOT_SEEN,
                    "volume "
                        + volume.name()
                        + " is on disk "
                        + view.diskOf(replica)
                        + ", which node "
                        + node.name()
                        + " does not have: attach it to "
                        + view.nodesWith(replica)
                        + ", or add the disk to node "
                        + node.name()
                        + " with 'holdfast disk add'"));
  }

  static BlockedReason attacherUnavailable(TicketCandidate wish) {
    return new BlockedReason(
        Reasons.ATTACHER_UNAVAILABLE,
        "attacher type " + wish.ticket().type() + " is not installed; install its bundle");
  }

  static boolean isReady(Node node) {
    return Condition.isTrue(node.status().conditions(), Condition.READY);
  }

  /**
   * Returns whether a node is unreachable and therefore possibly dead. A node that reports a
   * missing requirement is not lost.
   */
  static boolean isLost(Node node) {
    return Condition.find(node.status().conditions(), Condition.READY)
        .filter(condition -> condition.status() == Condition.Status.UNKNOWN)
        .isPresent();
  }

  /**
   * Blocks a node without the volume's plugins. A node that does not report its plugins counts as
   * having all of them.
   */
  private static Optional<BlockedReason> missingPlugin(
      TicketCandidate wish, Volume volume, Node node) {
    List<String> engines = node.status().engines();
    if (!engines.isEmpty() && !engines.contains(volume.spec().dataEngine())) {
      return Optional.of(
          new BlockedReason(
              Reasons.ENGINE_UNAVAILABLE,
              "engine " + volume.spec().dataEngine() + " is not installed on node " + node.name()));
    }
    List<String> frontends = node.status().protocols(volume.spec().dataEngine());
    boolean needed = wish.frontend() != FrontendRequirement.DISABLED;
    if (needed && !frontends.isEmpty() && !frontends.contains(volume.spec().frontend())) {
      return Optional.of(
          new BlockedReason(
              Reasons.FRONTEND_UNAVAILABLE,
              "frontend " + volume.spec().frontend() + " is not installed on node " + node.name()));
    }
    return Optional.empty();
  }
}
