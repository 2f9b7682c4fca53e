package dev.holdfast.nvme.host.internal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/** Layout of PDUs (NVMe/TCP transport, section 3.6), without digests. */
final class PduFormat {
  static final int TERMINATION = 3;
  static final int RESPONSE = 5;
  static final int DATA_TO_HOST = 7;
  static final int READY_TO_TRANSFER = 9;

  private static final int GREETING = 0;
  private static final int GREETING_ANSWER = 1;
  private static final int COMMAND = 4;
  private static final int DATA_TO_TARGET = 6;
  private static final int GREETING_SIZE = 128;
  private static final int HEADER = 24;
  private static final int COMMON = 8;
  private static final int LAST = 4;
  private static final int SUCCESS = 8;
  private static final int LEAST_DATA = 4_096;

  /** Alignment of data in a PDU for the target, in bytes. */
  private final int alignment;

  /** Most bytes of data in a PDU for the target. */
  private final int mostData;

  private PduFormat(int alignment, int mostData) {
    this.alignment = alignment;
    this.mostData = mostData;
  }

  private static ByteBuffer buffer(int size) {
    return ByteBuffer.allocateDirect(size).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Returns the request for a connection without digests and alignment. */
  static ByteBuffer greeting() {
    return buffer(GREETING_SIZE)
        .put(0, (byte) GREETING)
        .put(2, (byte) GREETING_SIZE)
        .putInt(4, GREETING_SIZE);
  }

  /** Reads the target's answer to the greeting. */
  static PduFormat agree(ByteBuffer pdu) throws IOException {
    if (type(pdu) != GREETING_ANSWER
        || pdu.limit() != GREETING_SIZE
        || pdu.getShort(8) != 0
        || pdu.get(11) != 0
        || pdu.getInt(12) < LEAST_DATA) {
      throw new IOException("the target does not answer as one of NVMe/TCP 1.0 without digests");
    }
    return new PduFormat(((pdu.get(10) & 0x1f) + 1) * 4, pdu.getInt(12));
  }

  static int type(ByteBuffer pdu) {
    return pdu.get(0) & 0xff;
  }

  static int headerSize(ByteBuffer pdu) {
    return pdu.get(2) & 0xff;
  }

  static boolean isTermination(ByteBuffer pdu) {
    return type(pdu) == TERMINATION;
  }

  static int dataOffset(ByteBuffer pdu) {
    return pdu.get(3) & 0xff;
  }

  /** Checks a whole header before its members are used. */
  static void check(ByteBuffer pdu) throws IOException {
    int size = headerSize(pdu);
    int length = pdu.getInt(4);
    boolean good =
        switch (type(pdu)) {
          case GREETING_ANSWER -> size == GREETING_SIZE && length == size;
          case RESPONSE, READY_TO_TRANSFER -> size == HEADER && length == size;
          case DATA_TO_HOST ->
              size == HEADER
                  && dataOffset(pdu) >= size
                  && length == dataOffset(pdu) + (long) dataLength(pdu);
          default -> size >= COMMON + 2;
        };
    if (!good) {
      throw new IOException(
          "PDU of type " + type(pdu) + " with " + size + " of " + length + " bytes");
    }
  }

  // --- from the target --------------------------------------------------------------------

  static int responseId(ByteBuffer pdu) {
    return pdu.getShort(20) & 0xffff;
  }

  static int status(ByteBuffer pdu) {
    return (pdu.getShort(22) & 0xffff) >> 1 & 0x7ff;
  }

  static int commandId(ByteBuffer pdu) {
    return pdu.getShort(8) & 0xffff;
  }

  static int dataLength(ByteBuffer pdu) {
    return pdu.getInt(16);
  }

  /** Returns whether data continue where those before ended. */
  static boolean isNext(ByteBuffer pdu, ByteBuffer target) {
    return pdu.getInt(12) == target.position();
  }

  static boolean isSuccess(ByteBuffer pdu) {
    return (pdu.get(1) & (LAST | SUCCESS)) == (LAST | SUCCESS);
  }

  static long requestedOffset(ByteBuffer pdu) {
    return pdu.getInt(12) & 0xffff_ffffL;
  }

  static long requestedLength(ByteBuffer pdu) {
    return pdu.getInt(16) & 0xffff_ffffL;
  }

  // --- to the target ----------------------------------------------------------------------

  /** Returns a command, with its data if it carries them itself. */
  ByteBuffer[] capsule(NvmeCommand command) {
    int size = COMMON + NvmeCommand.ENTRY;
    ByteBuffer data = command.isInCapsule() ? command.toTarget().duplicate() : NvmeCommand.NO_DATA;
    int offset = (size + alignment - 1) / alignment * alignment;
    int start = data.hasRemaining() ? offset : size;
    ByteBuffer header = buffer(start);
    header.put(0, (byte) COMMAND).put(2, (byte) size);
    header.put(3, (byte) (data.hasRemaining() ? offset : 0));
    header.putInt(4, start + data.remaining());
    header.put(COMMON, command.entry().array());
    return new ByteBuffer[] {header, data};
  }

  /** Returns the data that a target asked for, in as many PDUs as it wants. */
  List<ByteBuffer[]> data(ByteBuffer request, ByteBuffer source, int offset, int length) {
    List<ByteBuffer[]> pdus = new ArrayList<>();
    int end = offset + length;
    int start = (HEADER + alignment - 1) / alignment * alignment;
    for (int at = offset; at < end; at += mostData) {
      int bytes = Math.min(mostData, end - at);
      ByteBuffer header = buffer(start);
      header.put(0, (byte) DATA_TO_TARGET).put(1, (byte) (at + bytes == end ? LAST : 0));
      header.put(2, (byte) HEADER).put(3, (byte) start).putInt(4, start + bytes);
      header.putShort(8, request.getShort(8)).putShort(10, request.getShort(10));
      header.putInt(12, at).putInt(16, bytes);
      pdus.add(new ByteBuffer[] {header, source.slice(source.position() + at, bytes)});
    }
    return pdus;
  }
}
