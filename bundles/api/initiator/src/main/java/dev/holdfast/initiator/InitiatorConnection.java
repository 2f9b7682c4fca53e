package dev.holdfast.initiator;

import java.net.URI;
import java.util.Objects;

/**
 * A volume that is connected to this host.
 *
 * @param volume name of the volume
 * @param initiator name of its initiator
 * @param endpoint endpoint of the connection
 * @param device the block device, for example {@code /dev/loop0}; empty while the connection is
 *     being made
 * @param alive whether the connection works; false if its process or device has ended
 */
public record InitiatorConnection(
    String volume, String initiator, URI endpoint, String device, boolean alive) {
  /** Rejects null components. */
  public InitiatorConnection {
    Objects.requireNonNull(volume, "volume");
    Objects.requireNonNull(initiator, "initiator");
    Objects.requireNonNull(endpoint, "endpoint");
    Objects.requireNonNull(device, "device");
  }
}
