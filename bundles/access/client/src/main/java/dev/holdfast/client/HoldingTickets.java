package dev.holdfast.client;

import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.volume.Volume;
import java.util.List;
import java.util.Optional;

/**
 * Tickets that hold a volume on its node.
 *
 * @param node the node to which the volume is attached, empty if none
 * @param tickets ids of the tickets that request that node
 */
record HoldingTickets(String node, List<String> tickets) {

  /** Finds the tickets that hold a volume on its current node. */
  static HoldingTickets of(Volume volume, Optional<VolumeAttachment> attachment) {
    String node = volume.status().currentNodeID();
    List<String> tickets =
        attachment
            .map(a -> a.spec().attachmentTickets().values().stream())
            .orElseGet(java.util.stream.Stream::empty)
            .filter(ticket -> ticket.nodeID().isEmpty() || ticket.nodeID().equals(node))
            .map(AttachmentTicket::id)
            .sorted()
            .toList();
    return new HoldingTickets(node, node.isEmpty() ? List.of() : tickets);
  }

  /** Returns for example {@code attached to node-2 by ticket csi-1}. */
  String text() {
    if (node.isEmpty()) {
      return "not attached";
    }
    String by =
        switch (tickets.size()) {
          case 0 -> "";
          case 1 -> " by ticket " + tickets.get(0);
          default -> " by tickets " + String.join(", ", tickets);
        };
    return "attached to " + node + by;
  }
}
