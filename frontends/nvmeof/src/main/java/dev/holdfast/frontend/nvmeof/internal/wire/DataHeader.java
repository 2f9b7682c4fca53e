package dev.holdfast.frontend.nvmeof.internal.wire;

import java.nio.ByteBuffer;

/**
 * The header of data in either direction and of the request for data (H2CData, C2HData, R2T), after
 * the common eight bytes.
 *
 * @param command identifier of the command whose data these are
 * @param tag tag of the request for data; 0 in data from the controller
 * @param offset of the data in the command's data
 * @param length of the data in bytes
 */
public record DataHeader(int command, int tag, long offset, long length) {
  /** Size in bytes of the header, including the common eight bytes. */
  public static final int SIZE = 24;

  /** Reads the fields of a complete header. */
  public static DataHeader parse(ByteBuffer buffer, int at) {
    return new DataHeader(
        Le.u16(buffer, at + 8),
        Le.u16(buffer, at + 10),
        Le.u32(buffer, at + 12),
        Le.u32(buffer, at + 16));
  }

  /** Writes the fields after the common header. */
  public void put(ByteBuffer buffer, int at) {
    Le.put16(buffer, at + 8, command);
    Le.put16(buffer, at + 10, tag);
    Le.put32(buffer, at + 12, offset);
    Le.put32(buffer, at + 16, length);
    Le.put32(buffer, at + 20, 0);
  }
}
