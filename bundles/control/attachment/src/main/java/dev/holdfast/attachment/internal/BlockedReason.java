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
 * Why a ticket cannot be selected now, whatever the others ask.
 *
 * @param reason for machines
 * @param message for people
 */
record BlockedReason(String reason, String message) {

  static Optional<BlockedReason> of(TicketCandidate wish, Volume volume, AttachmentView view) {
    if (wish.type().isEmpty()) {
      return Optional.of(attacherUnavailable(wish));
    }
    Optional<BlockedReason> cloning = cloning(wish, volume);
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
   * Until the first content of a volume is whole, only the ticket for its copying counts. As soon
   * as it can be used during the copying, others for the same node count too, and for any node if
   * the content comes from a backup.
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
                  + " is not restored from its backup yet"
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
                      + ", where it can be used; elsewhere when it is whole"));
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

  /** A volume that must be where its only replica is goes nowhere else. */
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

  /** A volume on a shared disk is attachable where that disk is seen. */
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

  /** Whether a node is not heard of: it may be dead. One that reports what it lacks is not lost. */
  static boolean isLost(Node node) {
    return Condition.find(node.status().conditions(), Condition.READY)
        .filter(condition -> condition.status() == Condition.Status.UNKNOWN)
        .isPresent();
  }

  /** A node that does not tell what is installed is believed to have everything. */
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
