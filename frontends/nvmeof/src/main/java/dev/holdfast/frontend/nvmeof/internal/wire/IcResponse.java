package dev.holdfast.frontend.nvmeof.internal.wire;

import java.nio.ByteBuffer;

/**
 * The controller's first PDU (ICResp).
 *
 * @param version version of the PDU format
 * @param alignment alignment of data for the controller: a multiple of four bytes, minus one
 * @param digests digests of the following PDUs
 * @param maximumData maximum bytes of data in one PDU from the host
 */
public record IcResponse(int version, int alignment, int digests, long maximumData) {
  /** Size of the PDU in bytes. */
  public static final int SIZE = 128;

  /** Reads the fields of a complete PDU. */
  public static IcResponse parse(ByteBuffer buffer, int at) {
    return new IcResponse(
        Le.u16(buffer, at + 8),
        Le.u8(buffer, at + 10),
        Le.u8(buffer, at + 11),
        Le.u32(buffer, at + 12));
  }

  /** Writes the complete PDU. */
  public void put(ByteBuffer buffer, int at) {
    Le.clear(buffer, at, SIZE);
    new PduHeader(PduType.IC_RESPONSE, 0, SIZE, 0, SIZE).put(buffer, at);
    Le.put16(buffer, at + 8, version);
    Le.put8(buffer, at + 10, alignment);
    Le.put8(buffer, at + 11, digests);
    Le.put32(buffer, at + 12, maximumData);
  }
}
