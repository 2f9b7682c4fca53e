package dev.holdfast.client;

import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.volume.Volume;
import java.util.List;
import java.util.Optional;

/**
 * Result of a detachment.
 *
 * @param volume as it is now
 * @param node where it is still attached, empty when nowhere
 * @param holders tickets that keep it there, by id
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
