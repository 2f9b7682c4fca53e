package dev.holdfast.frontend.nvmeof;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** A submission queue entry, written byte by byte from the specification. */
final class Entry {
  private final ByteBuffer bytes = ByteBuffer.allocate(64).order(ByteOrder.LITTLE_ENDIAN);

  Entry(int opcode) {
    bytes.put(0, (byte) opcode);
  }

  static Entry fabrics(int type) {
    Entry entry = new Entry(0x7f);
    entry.bytes.put(4, (byte) type);
    return entry;
  }

  static Entry io(int opcode, long block, int blocks) {
    return new Entry(opcode).namespace(1).number(40, block).dword(12, blocks - 1);
  }

  Entry namespace(int id) {
    bytes.putInt(4, id);
    return this;
  }

  Entry flags(int value) {
    bytes.put(1, (byte) value);
    return this;
  }

  /** Sets a command dword, from 10 on. */
  Entry dword(int number, int value) {
    bytes.putInt(4 * number, value);
    return this;
  }

  Entry or(int number, int value) {
    return dword(number, bytes.getInt(4 * number) | value);
  }

  Entry number(int at, long value) {
    bytes.putLong(at, value);
    return this;
  }

  Entry descriptor(int identifier, long length) {
    bytes.putLong(24, 0).putInt(32, (int) length).put(39, (byte) identifier);
    return this;
  }

  byte[] bytes(int id) {
    bytes.putShort(2, (short) id);
    return bytes.array().clone();
  }
}
