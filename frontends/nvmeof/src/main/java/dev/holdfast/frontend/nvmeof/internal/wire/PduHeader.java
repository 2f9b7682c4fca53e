package dev.holdfast.frontend.nvmeof.internal.wire;

import java.nio.ByteBuffer;

/**
 * The first eight bytes of every PDU.
 *
 * @param type a constant of {@link PduType}, or unknown
 * @param flags digest flags and the flags of the type
 * @param headerLength length of the header of this type in bytes
 * @param dataOffset offset of the data from the PDU's first byte; 0 without data
 * @param length length of the complete PDU in bytes; may exceed an int
 */
public record PduHeader(int type, int flags, int headerLength, int dataOffset, long length) {
  /** Size in bytes. */
  public static final int SIZE = 8;

  /** Reads the fields. */
  public static PduHeader parse(ByteBuffer buffer, int at) {
    return new PduHeader(
        Le.u8(buffer, at),
        Le.u8(buffer, at + 1),
        Le.u8(buffer, at + 2),
        Le.u8(buffer, at + 3),
        Le.u32(buffer, at + 4));
  }

  /** Writes the fields. */
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
