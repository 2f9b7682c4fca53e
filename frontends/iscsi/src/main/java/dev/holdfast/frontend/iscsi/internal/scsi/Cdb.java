package dev.holdfast.frontend.iscsi.internal.scsi;

import java.nio.ByteBuffer;

/**
 * A command descriptor block of 16 bytes; a shorter command uses the first ones.
 *
 * @param bytes big-endian, not null; not changed
 */
public record Cdb(ByteBuffer bytes) {

  /** Returns the operation code. */
  public int opcode() {
    return u8(0);
  }

  int u8(int at) {
    return bytes.get(at) & 0xff;
  }

  int u16(int at) {
    return bytes.getShort(at) & 0xffff;
  }

  long u32(int at) {
    return bytes.getInt(at) & 0xffffffffL;
  }

  boolean bit(int at, int mask) {
    return (bytes.get(at) & mask) != 0;
  }

  /** Returns the service action of the commands that have it in the second byte. */
  int serviceAction() {
    return u8(1) & 0x1f;
  }

  /** Returns the address of the first block; a negative value is beyond any device. */
  long lba() {
    return switch (opcode() >> 5) {
      case 0 -> (u8(1) & 0x1f) << 16 | u16(2);
      case 4 -> bytes.getLong(2);
      default -> u32(2);
    };
  }

  /** Returns the number of blocks, for commands that have it in the usual place. */
  long blocks() {
    return switch (opcode() >> 5) {
      case 0 -> u8(4) == 0 ? 256 : u8(4);
      case 4 -> u32(10);
      case 5 -> u32(6);
      default -> u16(7);
    };
  }
}
