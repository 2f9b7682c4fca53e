package dev.holdfast.frontend.iscsi.internal.pdu;

import java.nio.ByteBuffer;

/** A PDU's basic header, decoded. What follows it (AHS, digests, data) is {@link Frame}'s. */
public interface Pdu {

  /** Writes the 48 bytes of the header at index 0; the length of the data is left 0. */
  void write(ByteBuffer out);
}
