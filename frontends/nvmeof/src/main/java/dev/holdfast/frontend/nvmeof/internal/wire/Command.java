package dev.holdfast.frontend.nvmeof.internal.wire;

import java.nio.ByteBuffer;

/**
 * A submission queue entry.
 *
 * @param opcode opcode of the command
 * @param flags fused operation and type of the data pointer
 * @param id identifier that the host assigned
 * @param namespace namespace identifier; in fabrics commands its lowest byte is the type
 * @param data data descriptor
 * @param cdw10 command dword 10; the other dwords likewise
 */
public record Command(
    int opcode,
    int flags,
    int id,
    int namespace,
    Sgl data,
    int cdw10,
    int cdw11,
    int cdw12,
    int cdw13,
    int cdw14,
    int cdw15) {
  /** Size in bytes. */
  public static final int SIZE = 64;

  /** The opcode of all fabrics commands. */
  public static final int FABRICS = 0x7f;

  /** Fused: the first of two. */
  public static final int FUSED_FIRST = 1;

  /** Fused: the second of two. */
  public static final int FUSED_SECOND = 2;

  private static final int DIRECTION = 3;
  private static final int TO_CONTROLLER = 1;

  /** Reads the fields. */
  public static Command parse(ByteBuffer buffer, int at) {
    return new Command(
        Le.u8(buffer, at),
        Le.u8(buffer, at + 1),
        Le.u16(buffer, at + 2),
        Le.i32(buffer, at + 4),
        new Sgl(Le.i64(buffer, at + 24), Le.u32(buffer, at + 32), Le.u8(buffer, at + 39)),
        Le.i32(buffer, at + 40),
        Le.i32(buffer, at + 44),
        Le.i32(buffer, at + 48),
        Le.i32(buffer, at + 52),
        Le.i32(buffer, at + 56),
        Le.i32(buffer, at + 60));
  }

  /** Writes the fields. */
  public void put(ByteBuffer buffer, int at) {
    Le.clear(buffer, at, SIZE);
    Le.put8(buffer, at, opcode);
    Le.put8(buffer, at + 1, flags);
    Le.put16(buffer, at + 2, id);
    Le.put32(buffer, at + 4, namespace);
    Le.put64(buffer, at + 24, data.address());
    Le.put32(buffer, at + 32, data.length());
    Le.put8(buffer, at + 39, data.identifier());
    Le.put32(buffer, at + 40, cdw10);
    Le.put32(buffer, at + 44, cdw11);
    Le.put32(buffer, at + 48, cdw12);
    Le.put32(buffer, at + 52, cdw13);
    Le.put32(buffer, at + 56, cdw14);
    Le.put32(buffer, at + 60, cdw15);
  }

  /** Returns whether it is a fabrics command. */
  public boolean fabrics() {
    return opcode == FABRICS;
  }

  /** Returns the type of a fabrics command. */
  public int fabricsType() {
    return namespace & 0xff;
  }

  /**
   * Returns the number of bytes that the host sends for this command, by direction and descriptor.
   */
  public long fromHost() {
    int code = fabrics() ? fabricsType() : opcode;
    return (code & DIRECTION) == TO_CONTROLLER ? data.length() : 0;
  }

  /**
   * Returns the fused operation: 0, {@link #FUSED_FIRST} or {@link #FUSED_SECOND}; 3 is invalid.
   */
  public int fused() {
    return flags & 3;
  }

  /** Returns the 64-bit number of dwords 10 and 11, such as a first block. */
  public long cdw10And11() {
    return (cdw11 & 0xffffffffL) << 32 | (cdw10 & 0xffffffffL);
  }

  /** Returns the 64-bit number of dwords 12 and 13. */
  public long cdw12And13() {
    return (cdw13 & 0xffffffffL) << 32 | (cdw12 & 0xffffffffL);
  }
}
