package dev.holdfast.initiator.kernel.internal;

import dev.holdfast.initiator.InitiatorConnection;
import java.net.URI;

/**
 * Record of a connection, before and after it is made; the fields that all initiators of a host
 * write.
 *
 * @param volume its name
 * @param initiator who makes it
 * @param endpoint what it is connected to
 * @param pid 0: the kernel serves it
 * @param device the block device, empty before there is one
 */
record ConnectionRecord(String volume, String initiator, String endpoint, long pid, String device) {

  InitiatorConnection connection(boolean alive) {
    return new InitiatorConnection(volume, initiator, URI.create(endpoint), device, alive);
  }
}
