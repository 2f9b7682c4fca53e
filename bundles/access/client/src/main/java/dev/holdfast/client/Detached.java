package dev.holdfast.client;

import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.volume.Volume;
import java.util.List;
import java.util.Optional;

/**
 * Result of a detachment.
 *
 * @param volume the present state of the volume
 * @param node node to which the volume is still attached, empty if none
 * @param holders ids of the tickets that hold it there
 */
public record Detached(Volume volume, String node, List<String> holders) {
  /** Copies the list. */
  public Detached {
    holders = List.copyOf(holders);
  }

  static Detached of(Volume volume, Optional<VolumeAttachment> attachment) {
    HoldingTickets holders = HoldingTickets.of(volume, attachment);
    return new Detached(volume, holders.node(), holders.tickets());
  }
}
