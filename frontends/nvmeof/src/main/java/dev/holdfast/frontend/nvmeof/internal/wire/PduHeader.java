package dev.holdfast.frontend.nvmeof.internal.wire;

import java.nio.ByteBuffer;

/**
 * The first eight bytes of every PDU.
 *
 * @param type one of {@link PduType}'s, or unknown
 * @param flags digests and the flags of the type
 * @param headerLength of the header of this type
 * @param dataOffset from the PDU's first byte; 0 when there are no data
 * @param length of the whole PDU; may be more than an int holds
 */
public record PduHeader(int type, int flags, int headerLength, int dataOffset, long length) {
  /** Its bytes. */
  public static final int SIZE = 8;

  /** Reads it. */
  public static PduHeader parse(ByteBuffer buffer, int at) {
    return new PduHeader(
        Le.u8(buffer, at),
        Le.u8(buffer, at + 1),
        Le.u8(buffer, at + 2),
        Le.u8(buffer, at + 3),
        Le.u32(buffer, at + 4));
  }

  /** Writes it. */
  public void put(ByteBuffer buffer, int at) {
    Le.put8(buffer, at, type);
    Le.put8(buffer, at + 1, flags);
    Le.put8(buffer, at + 2, headerLength);
    Le.put8(buffer, at + 3, dataOffset);
    Le.put32(buffer, at + 4, length);
  }

  /** Returns whether a flag is set. */
  public boolean has(int flag) {
    return (flags & flag) != 0;
  }
}
