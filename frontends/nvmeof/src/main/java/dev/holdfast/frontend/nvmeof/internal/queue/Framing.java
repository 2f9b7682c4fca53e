package dev.holdfast.frontend.nvmeof.internal.queue;

import dev.holdfast.frontend.nvmeof.internal.wire.Command;
import dev.holdfast.frontend.nvmeof.internal.wire.DataHeader;
import dev.holdfast.frontend.nvmeof.internal.wire.Digest;
import dev.holdfast.frontend.nvmeof.internal.wire.IcRequest;
import dev.holdfast.frontend.nvmeof.internal.wire.Limits;
import dev.holdfast.frontend.nvmeof.internal.wire.PduHeader;
import dev.holdfast.frontend.nvmeof.internal.wire.PduType;
import dev.holdfast.frontend.nvmeof.internal.wire.ProtocolException;
import dev.holdfast.frontend.nvmeof.internal.wire.TermRequest;
import java.nio.ByteBuffer;

/** Checks the type and the length of a PDU by its first eight bytes. */
public record Framing(boolean headerDigest, boolean dataDigest) {
  /** Framing before digests are negotiated. */
  public static final Framing PLAIN = new Framing(false, false);

  private static final int FLAGS_AT = 1;
  private static final int HEADER_LENGTH_AT = 2;
  private static final int DATA_OFFSET_AT = 3;
  private static final int LENGTH_AT = 4;
  private static final int LONGEST_PADDING = 4 * IcRequest.MAXIMUM_ALIGNMENT + 4;

  /** Returns the framing with the negotiated digests. */
  public static Framing of(int digests) {
    return new Framing(
        (digests & PduType.HEADER_DIGEST) != 0, (digests & PduType.DATA_DIGEST) != 0);
  }

  public int digests() {
    return (headerDigest ? PduType.HEADER_DIGEST : 0) | (dataDigest ? PduType.DATA_DIGEST : 0);
  }

  /** Checks the contents of the first eight bytes. */
  public void check(PduHeader header) throws ProtocolException {
    switch (header.type()) {
      case PduType.IC_REQUEST -> {
        require(header.headerLength() == IcRequest.SIZE, HEADER_LENGTH_AT, "the header's length");
        require(header.length() == IcRequest.SIZE, LENGTH_AT, "the length");
      }
      case PduType.HOST_TERMINATES -> {
        require(header.headerLength() == TermRequest.SIZE, HEADER_LENGTH_AT, "the header's length");
        int most = TermRequest.SIZE + TermRequest.MAXIMUM_COPY;
        require(
            header.length() >= TermRequest.SIZE && header.length() <= most,
            LENGTH_AT,
            "the length");
      }
      case PduType.COMMAND ->
          checkData(header, PduHeader.SIZE + Command.SIZE, Limits.IN_CAPSULE, false);
      case PduType.HOST_DATA -> checkData(header, DataHeader.SIZE, Limits.TRANSFER, true);
      default -> throw wrong(0, "the type " + header.type());
    }
  }

  private void checkData(PduHeader header, int size, int most, boolean needed)
      throws ProtocolException {
    require(header.headerLength() == size, HEADER_LENGTH_AT, "the header's length");
    require(header.has(PduType.HEADER_DIGEST) == headerDigest, FLAGS_AT, "the header digest");
    int head = size + (headerDigest ? Digest.SIZE : 0);
    if (header.length() == head && !needed) {
      return;
    }
    require(header.has(PduType.DATA_DIGEST) == dataDigest, FLAGS_AT, "the data digest");
    int offset = header.dataOffset();
    require(offset >= head && offset <= head + LONGEST_PADDING, DATA_OFFSET_AT, "the data offset");
    long data = header.length() - offset - (dataDigest ? Digest.SIZE : 0);
    require(data > 0, LENGTH_AT, "the length");
    if (data > most) {
      throw new ProtocolException(
          TermRequest.LIMIT_EXCEEDED, 0, data + " bytes of data are more than " + most);
    }
  }

  /** Returns the number of data bytes of a checked PDU. */
  public int dataLength(PduHeader header) {
    int head = header.headerLength() + (headerDigest ? Digest.SIZE : 0);
    return header.length() == head
        ? 0
        : (int) header.length() - header.dataOffset() - (dataDigest ? Digest.SIZE : 0);
  }

  /** Checks the digest of a complete PDU's header. */
  public void checkHeaderDigest(PduHeader header, ByteBuffer input, int at)
      throws ProtocolException {
    if (headerDigest && !Digest.matches(input, at, header.headerLength())) {
      long received = input.getInt(at + header.headerLength()) & 0xffffffffL;
      throw new ProtocolException(
          TermRequest.HEADER_DIGEST_ERROR, received, "a header's digest is wrong");
    }
  }

  /** Returns whether a complete PDU's data match their digest, if it has one. */
  public boolean dataIntact(PduHeader header, ByteBuffer input, int at) {
    int length = dataLength(header);
    return !dataDigest || length == 0 || Digest.matches(input, at + header.dataOffset(), length);
  }

  private static void require(boolean holds, int field, String what) throws ProtocolException {
    if (!holds) {
      throw wrong(field, what);
    }
  }

  private static ProtocolException wrong(int field, String what) {
    return new ProtocolException(TermRequest.INVALID_FIELD, field, what + " of a PDU is wrong");
  }
}
