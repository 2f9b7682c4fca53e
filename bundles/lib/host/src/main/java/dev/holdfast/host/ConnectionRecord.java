package dev.holdfast.host;

import dev.holdfast.initiator.InitiatorConnection;
import java.net.URI;

/**
 * Record of a connection of this host to a volume, written before and after the connection is made.
 * All initiators write these fields.
 *
 * @param volume name of the volume
 * @param initiator name of the initiator that makes the connection
 * @param endpoint URI to which it is connected
 * @param pid process that serves the device, for users; 0 before it exists, and if the kernel
 *     serves it
 * @param device the block device, empty before it exists
 */
public record ConnectionRecord(
    String volume, String initiator, String endpoint, long pid, String device) {

  /** Returns the record that is written before a connection is made. */
  public static ConnectionRecord claim(String volume, String initiator, URI endpoint) {
    return new ConnectionRecord(volume, initiator, endpoint.toString(), 0, "");
  }

  /**
   * Returns the connection, as callers of the initiator see it.
   *
   * @param alive whether its device works
   */
  public InitiatorConnection connection(boolean alive) {
    return new InitiatorConnection(volume, initiator, URI.create(endpoint), device, alive);
  }
}
