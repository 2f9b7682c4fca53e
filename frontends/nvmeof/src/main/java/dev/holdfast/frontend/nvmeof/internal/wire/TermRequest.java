package dev.holdfast.frontend.nvmeof.internal.wire;

import java.nio.ByteBuffer;

/**
 * Ends a connection after a fatal error (C2HTermReq; H2CTermReq has the same layout).
 *
 * @param status why: one of the constants
 * @param information the offset of the wrong field, or the wrong digest
 */
public record TermRequest(int status, long information) {
  /** A field of a header is wrong; the information is its offset. */
  public static final int INVALID_FIELD = 1;

  /** A PDU came that may not come now. */
  public static final int SEQUENCE_ERROR = 2;

  /** A header's digest is wrong; the information is the one received. */
  public static final int HEADER_DIGEST_ERROR = 3;

  /** Data outside of the requested range. */
  public static final int OUT_OF_RANGE = 4;

  /** More data came than the limit allows. */
  public static final int LIMIT_EXCEEDED = 5;

  /** A parameter is not supported. */
  public static final int UNSUPPORTED = 6;

  /** Bytes before the copy of the header that is to blame. */
  public static final int SIZE = 24;

  /** The most bytes of the wrong PDU that are repeated. */
  public static final int MAXIMUM_COPY = 128;

  /** Reads it. */
  public static TermRequest parse(ByteBuffer buffer, int at) {
    return new TermRequest(Le.u16(buffer, at + 8), Le.u32(buffer, at + 10));
  }

  /** Writes the controller's form with a copy of the PDU that is to blame; returns its length. */
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
