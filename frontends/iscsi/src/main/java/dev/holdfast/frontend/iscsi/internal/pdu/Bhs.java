package dev.holdfast.frontend.iscsi.internal.pdu;

import java.nio.ByteBuffer;

/** Fields that all basic header segments have in common (RFC 7143, 11.2). */
public final class Bhs {
  /** Bytes of the header. */
  public static final int LENGTH = 48;

  /** Tag that refers to no task. */
  public static final int NO_TAG = -1;

  static final int IMMEDIATE = 0x40;
  static final int FINAL = 0x80;
  private static final int OPCODE = 0x3f;
  private static final int AHS_LENGTH = 4;

  private Bhs() {}

  /** Returns the opcode of the header at an index. */
  public static int opcode(ByteBuffer in, int at) {
    return in.get(at) & OPCODE;
  }

  /** Returns the bytes of additional headers. */
  static int ahsLength(ByteBuffer in, int at) {
    return (in.get(at + AHS_LENGTH) & 0xff) * Integer.BYTES;
  }

  /** Returns the number of data bytes, without padding. */
  public static int dataLength(ByteBuffer in, int at) {
    return in.getInt(at + AHS_LENGTH) & 0xffffff;
  }

  static void setDataLength(ByteBuffer out, int length) {
    out.putInt(AHS_LENGTH, length);
  }

  static void begin(ByteBuffer out, int opcode, int flags) {
    for (int i = 0; i < LENGTH; i += Long.BYTES) {
      out.putLong(i, 0);
    }
    out.put(0, (byte) opcode);
    out.put(1, (byte) flags);
  }

  static boolean flag(ByteBuffer in, int at, int mask) {
    return (in.get(at) & mask) != 0;
  }

  static void flag(ByteBuffer out, int at, int mask, boolean set) {
    if (set) {
      out.put(at, (byte) (out.get(at) | mask));
    }
  }

  static int bits(ByteBuffer in, int at, int shift, int mask) {
    return (in.get(at) >> shift) & mask;
  }

  static void bits(ByteBuffer out, int at, int shift, int mask, int value) {
    out.put(at, (byte) (out.get(at) | (value & mask) << shift));
  }
}
