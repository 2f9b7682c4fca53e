package dev.holdfast.initiator;

import java.net.URI;
import java.util.Objects;

/**
 * A volume that is connected to this host.
 *
 * @param volume its name
 * @param initiator who made it
 * @param endpoint what it is connected to
 * @param device the block device, for example {@code /dev/loop0}; empty while it is being made
 * @param alive whether it works; false when its process or device is gone
 */
public record InitiatorConnection(
    String volume, String initiator, URI endpoint, String device, boolean alive) {
  /** Checks that nothing is missing. */
  public InitiatorConnection {
    Objects.requireNonNull(volume, "volume");
    Objects.requireNonNull(initiator, "initiator");
    Objects.requireNonNull(endpoint, "endpoint");
    Objects.requireNonNull(device, "device");
  }
}
