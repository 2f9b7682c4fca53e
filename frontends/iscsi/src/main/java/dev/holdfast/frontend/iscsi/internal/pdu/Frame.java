package dev.holdfast.frontend.iscsi.internal.pdu;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/** Positions of the parts of the next PDU in a stream; reused for each PDU. */
public final class Frame {
  private final CRC32C crc = new CRC32C();
  private ByteBuffer in;
  private int start;
  private int headers;
  private int dataAt;
  private int dataLength;
  private int end;
  private Digests digests;

  /** How much of the next PDU was received. */
  public enum Found {
    /** The complete PDU. */
    WHOLE,
    /** A part of it; {@link #needed} returns how many bytes are required. */
    PART,
    /** The PDU announces more data than is permitted. */
    TOO_LARGE
  }

  /**
   * Parses the PDU that begins at the buffer's position, without moving the position.
   *
   * @param input received bytes, not null
   * @param expected the negotiated digests, not null
   * @param most maximum bytes of data
   */
  public Found find(ByteBuffer input, Digests expected, int most) {
    in = input;
    digests = expected;
    start = input.position();
    end = start + Bhs.LENGTH;
    if (input.remaining() < Bhs.LENGTH) {
      return Found.PART;
    }
    headers = Bhs.LENGTH + Bhs.ahsLength(input, start);
    dataLength = Bhs.dataLength(input, start);
    dataAt = start + headers + (digests.header() ? Digests.LENGTH : 0);
    end = dataAt + Digests.padded(dataLength);
    end += digests.data() && dataLength > 0 ? Digests.LENGTH : 0;
    if (dataLength > most) {
      return Found.TOO_LARGE;
    }
    return input.remaining() < needed() ? Found.PART : Found.WHOLE;
  }

  /** Returns how many bytes from the position on are needed to continue. */
  public int needed() {
    return end - start;
  }

  /** Returns whether the headers match their digest. */
  public boolean headerIntact() {
    return !digests.header() || matches(start, headers, start + headers);
  }

  /** Returns whether the data matches its digest. */
  public boolean dataIntact() {
    int padded = Digests.padded(dataLength);
    return !digests.data() || dataLength == 0 || matches(dataAt, padded, dataAt + padded);
  }

  /** Returns the basic header as a separate buffer; its first byte has index 0. */
  public ByteBuffer header() {
    return in.slice(start, Bhs.LENGTH);
  }

  /** Returns the opcode. */
  public int opcode() {
    return Bhs.opcode(in, start);
  }

  /** Returns the number of data bytes. */
  public int dataLength() {
    return dataLength;
  }

  /** Returns the data as a view of the input, never null. */
  public ByteBuffer data() {
    return in.slice(dataAt, dataLength);
  }

  /** Moves the input's position behind the PDU. */
  public void consume() {
    in.position(end);
  }

  private boolean matches(int from, int length, int at) {
    crc.reset();
    crc.update(in.slice(from, length));
    return littleEndian(in, at) == (int) crc.getValue();
  }

  private static int littleEndian(ByteBuffer buffer, int at) {
    int value = buffer.getInt(at);
    return buffer.order() == ByteOrder.BIG_ENDIAN ? Integer.reverseBytes(value) : value;
  }
}
