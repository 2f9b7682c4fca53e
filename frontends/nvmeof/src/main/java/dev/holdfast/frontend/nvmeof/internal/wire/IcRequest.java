package dev.holdfast.frontend.nvmeof.internal.wire;

import java.nio.ByteBuffer;

/**
 * The host's first PDU (ICReq).
 *
 * @param version version of the PDU format; only 0 exists
 * @param alignment alignment of data for the host: a multiple of four bytes, minus one
 * @param digests requested digests: {@link PduType#HEADER_DIGEST} and {@link PduType#DATA_DIGEST}
 * @param maximumRequests maximum number of open data requests of one command, minus one
 */
public record IcRequest(int version, int alignment, int digests, long maximumRequests) {
  /** Size of the PDU in bytes. */
  public static final int SIZE = 128;

  /** The highest alignment that the specification permits. */
  public static final int MAXIMUM_ALIGNMENT = 31;

  /** Reads the fields of a complete PDU. */
  public static IcRequest parse(ByteBuffer buffer, int at) {
    return new IcRequest(
        Le.u16(buffer, at + 8),
        Le.u8(buffer, at + 10),
        Le.u8(buffer, at + 11),
        Le.u32(buffer, at + 12));
  }

  /** Writes the complete PDU. */
  public void put(ByteBuffer buffer, int at) {
    Le.clear(buffer, at, SIZE);
    new PduHeader(PduType.IC_REQUEST, 0, SIZE, 0, SIZE).put(buffer, at);
    Le.put16(buffer, at + 8, version);
    Le.put8(buffer, at + 10, alignment);
    Le.put8(buffer, at + 11, digests);
    Le.put32(buffer, at + 12, maximumRequests);
  }
}
