package dev.holdfast.frontend.nvmeof.internal.wire;

import java.nio.ByteBuffer;

/**
 * Ends a connection after a fatal error (C2HTermReq; H2CTermReq has the same layout).
 *
 * @param status reason: one of the constants
 * @param information the offset of the wrong field, or the wrong digest
 */
public record TermRequest(int status, long information) {
  /** A field of a header is wrong; the information is its offset. */
  public static final int INVALID_FIELD = 1;

  /** A PDU arrived that is not permitted at this time. */
  public static final int SEQUENCE_ERROR = 2;

  /** A header's digest is wrong; the information is the received digest. */
  public static final int HEADER_DIGEST_ERROR = 3;

  /** Data outside of the requested range. */
  public static final int OUT_OF_RANGE = 4;

  /** More data arrived than the limit permits. */
  public static final int LIMIT_EXCEEDED = 5;

  /** A parameter is not supported. */
  public static final int UNSUPPORTED = 6;

  /** Size in bytes before the copy of the faulty header. */
  public static final int SIZE = 24;

  /** Maximum bytes of the faulty PDU that are copied. */
  public static final int MAXIMUM_COPY = 128;

  /** Reads the fields. */
  public static TermRequest parse(ByteBuffer buffer, int at) {
    return new TermRequest(Le.u16(buffer, at + 8), Le.u32(buffer, at + 10));
  }

  /** Writes the controller's form with a copy of the faulty PDU; returns its length in bytes. */
  public int put(ByteBuffer buffer, int at, byte[] blamed) {
    int length = SIZE + blamed.length;
    Le.clear(buffer, at, SIZE);
    new PduHeader(PduType.CONTROLLER_TERMINATES, 0, SIZE, 0, length).put(buffer, at);
    Le.put16(buffer, at + 8, status);
    Le.put32(buffer, at + 10, information);
    buffer.put(at + SIZE, blamed);
    return length;
  }
}
