package dev.holdfast.itests.powercut;

import java.nio.ByteBuffer;

/**
 * The content of a written sector: the number of the write, the number of the sector, and a pattern
 * made of both, so that other bytes cannot be mistaken for it.
 */
final class Sectors {
  static final int SIZE = 512;
  static final int PER_BLOCK = 8;
  static final long VOLUME_BYTES = 48L << 20;
  static final int COUNT = (int) (VOLUME_BYTES / SIZE);

  /** The number of a sector's first content, and of every other that is all zeroes. */
  static final long ZERO = 0;

  /** Value of content that no write produced. */
  static final long GARBAGE = -1;

  private Sectors() {}

  /** Returns the number of a request: no other request of the whole history has it. */
  static long number(int life, int sequence) {
    return ((long) life << 32) | sequence;
  }

  static int life(long number) {
    return (int) (number >>> 32);
  }

  static int sequence(long number) {
    return (int) number;
  }

  /** Puts one sector at the buffer's position. */
  static void put(ByteBuffer target, long number, int sector) {
    target.putLong(number).putLong(sector);
    long pattern = number * 0x9E3779B97F4A7C15L ^ sector;
    for (int at = 16; at < SIZE; at += Long.BYTES) {
      pattern = mix(pattern);
      target.putLong(pattern);
    }
  }

  /** Reads one sector at the buffer's position: a write's number, ZERO or GARBAGE. */
  static long take(ByteBuffer source, int sector) {
    ByteBuffer found = source.slice(source.position(), SIZE);
    source.position(source.position() + SIZE);
    long number = found.getLong(0);
    ByteBuffer expected = ByteBuffer.allocate(SIZE);
    if (number != ZERO) {
      put(expected, number, sector);
      expected.flip();
    }
    return expected.equals(found) ? number : GARBAGE;
  }

  private static long mix(long value) {
    long mixed = (value ^ (value >>> 30)) * 0xBF58476D1CE4E5B9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
    return mixed ^ (mixed >>> 31);
  }
}
