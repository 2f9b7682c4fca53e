package dev.holdfast.frontend.nvmeof.internal.page;

import dev.holdfast.frontend.nvmeof.internal.wire.Le;
import java.nio.ByteBuffer;
import java.util.UUID;

/** A response page under construction: little-endian fields at their offsets, zeroes elsewhere. */
final class PageBuilder {
  private final ByteBuffer buffer;

  PageBuilder(int size) {
    buffer = ByteBuffer.allocate(size);
  }

  PageBuilder put8(int at, int value) {
    Le.put8(buffer, at, value);
    return this;
  }

  PageBuilder put16(int at, int value) {
    Le.put16(buffer, at, value);
    return this;
  }

  PageBuilder put32(int at, long value) {
    Le.put32(buffer, at, value);
    return this;
  }

  PageBuilder put64(int at, long value) {
    Le.put64(buffer, at, value);
    return this;
  }

  PageBuilder ascii(int at, int length, String text) {
    Le.putAscii(buffer, at, length, text);
    return this;
  }

  PageBuilder name(int at, int length, String text) {
    Le.putName(buffer, at, length, text);
    return this;
  }

  /** Identifiers are big-endian, in the order of their text form. */
  PageBuilder uuid(int at, UUID value) {
    buffer.putLong(at, value.getMostSignificantBits());
    buffer.putLong(at + Long.BYTES, value.getLeastSignificantBits());
    return this;
  }

  byte[] bytes() {
    return buffer.array();
  }
}
