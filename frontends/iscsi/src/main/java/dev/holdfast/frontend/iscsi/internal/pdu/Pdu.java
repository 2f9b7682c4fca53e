package dev.holdfast.frontend.iscsi.internal.pdu;

import java.nio.ByteBuffer;

/**
 * A PDU's decoded basic header. {@link Frame} handles the parts that follow it (AHS, digests,
 * data).
 */
public interface Pdu {

  /** Writes the 48 bytes of the header at index 0, with a data length of 0. */
  void write(ByteBuffer out);
}
