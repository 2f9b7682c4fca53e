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
  /** Returns the writer of this connection's PDUs. */
  PduWriter link();

  /**
   * Handles a complete PDU whose header is valid.
   *
   * @param start index of its first byte in the input
   * @return the next phase, or this one
   */
  Phase received(PduHeader header, ByteBuffer input, int start) throws ProtocolException;

  /** Returns whether the connection must end, because a refusal was sent. */
  boolean ended();

  /** Returns the phase that replaced this one on another thread, or this one. */
  Phase settled();

  /** Ends the phase; waits for requests at a device. */
  void stop(Runnable stopped);

  /** Adds the state that another session needs to resume. */
  void save(Map<String, String> fields);
}
