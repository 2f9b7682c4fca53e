package dev.holdfast.engine.spdk.simulator.internal.tcp;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ReadableByteChannel;

/**
 * Layout of PDUs without digests (NVMe/TCP transport 1.0, 3.6).
 *
 * @param header common and specific header
 * @param data bytes after the header, without padding
 */
record TcpPdu(ByteBuffer header, ByteBuffer data) {
  static final int REQUEST = 0;
  static final int COMMAND = 4;
  static final int DATA_TO_TARGET = 6;

  /** The most data that a host sends in one PDU. */
  static final int MOST_DATA = 131_072;

  private static final int ANSWER = 1;
  private static final int RESPONSE = 5;
  private static final int DATA_TO_HOST = 7;
  private static final int READY = 9;
  private static final int LAST_AND_SUCCESS = 0x0c;
  private static final int LAST = 0x04;
  private static final int COMMON = 8;
  private static final int HEADER = 24;
  private static final int GREETING = 128;

  /** Reads the next PDU. */
  static TcpPdu read(ReadableByteChannel channel) throws IOException {
    ByteBuffer common = fill(channel, buffer(COMMON));
    int headerSize = common.get(2) & 0xff;
    int offset = common.get(3) & 0xff;
    int length = common.getInt(4);
    if (headerSize < COMMON || length < headerSize || length > headerSize + 128 + MOST_DATA) {
      throw new IOException("PDU of " + length + " bytes with a header of " + headerSize);
    }
    ByteBuffer header = buffer(headerSize).put(common.rewind());
    fill(channel, header);
    int padding = offset == 0 ? 0 : offset - headerSize;
    if (padding < 0 || padding > length - headerSize) {
      throw new IOException("PDU of " + length + " bytes with data at " + offset);
    }
    ByteBuffer unused = fill(channel, buffer(padding));
    return new TcpPdu(header.rewind(), fill(channel, buffer(length - headerSize - padding)));
  }

  private static ByteBuffer fill(ReadableByteChannel channel, ByteBuffer target)
      throws IOException {
    while (target.hasRemaining()) {
      if (channel.read(target) < 0) {
        throw new EOFException("the host closed the connection");
      }
    }
    return target.rewind();
  }

  static ByteBuffer buffer(int size) {
    return ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
  }

  int type() {
    return header.get(0) & 0xff;
  }

  /** Returns the 64 bytes of the command. */
  ByteBuffer command() throws IOException {
    if (type() != COMMAND || header.limit() != COMMON + 64) {
      throw new IOException("PDU of type " + type() + " where a command is expected");
    }
    return header.slice(COMMON, 64).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static ByteBuffer header(int type, int flags, int size, int data) {
    ByteBuffer header = buffer(size + data);
    header.put(0, (byte) type).put(1, (byte) flags).put(2, (byte) size);
    header.put(3, (byte) (data > 0 ? size : 0)).putInt(4, size + data);
    return header;
  }

  /** Returns the answer to the greeting: no digests, no alignment. */
  static ByteBuffer answer() {
    return header(ANSWER, 0, GREETING, 0).putInt(12, MOST_DATA);
  }

  /** Returns the completion of a command. */
  static ByteBuffer response(int id, int queue, int head, int status, long result) {
    ByteBuffer pdu = header(RESPONSE, 0, HEADER, 0).putLong(8, result);
    pdu.putShort(16, (short) head).putShort(18, (short) queue);
    return pdu.putShort(20, (short) id).putShort(22, (short) (status << 1));
  }

  /** Returns data for the host. The last one completes its command when that succeeded. */
  static ByteBuffer dataToHost(int id, ByteBuffer bytes, boolean completes) {
    int length = bytes.remaining();
    ByteBuffer pdu = header(DATA_TO_HOST, completes ? LAST_AND_SUCCESS : LAST, HEADER, length);
    pdu.putShort(8, (short) id).putInt(12, 0).putInt(16, length);
    return pdu.put(HEADER, bytes, bytes.position(), length);
  }

  /** Returns the request for the data of a command. */
  static ByteBuffer ready(int id, int length) {
    return header(READY, 0, HEADER, 0)
        .putShort(8, (short) id)
        .putShort(10, (short) id)
        .putInt(12, 0)
        .putInt(16, length);
  }
}
