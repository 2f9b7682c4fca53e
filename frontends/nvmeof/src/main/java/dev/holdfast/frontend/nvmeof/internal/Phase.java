package dev.holdfast.frontend.nvmeof.internal;

import dev.holdfast.frontend.nvmeof.internal.queue.PduWriter;
import dev.holdfast.frontend.nvmeof.internal.wire.PduHeader;
import dev.holdfast.frontend.nvmeof.internal.wire.ProtocolException;
import java.nio.ByteBuffer;
import java.util.Map;

/**
 * Handling of a connection's PDUs.
 *
 * <pre>
 *   GREETING --ICReq--> CONNECTING --Connect--> QUEUE
 * </pre>
 */
interface Phase {
  /** Returns how this connection's PDUs are written. */
  PduWriter link();

  /**
   * Takes a PDU that is whole and whose header is right.
   *
   * @param start its first byte in the input
   * @return the phase that follows, or this one
   */
  Phase received(PduHeader header, ByteBuffer input, int start) throws ProtocolException;

  /** Returns whether the connection is to end, because a refusal was sent. */
  boolean ended();

  /** Returns the phase that this one has become on another thread. */
  Phase settled();

  /** Ends; requests at a device are awaited. */
  void stop(Runnable stopped);

  /** Adds the state that another session needs to resume. */
  void save(Map<String, String> fields);
}
