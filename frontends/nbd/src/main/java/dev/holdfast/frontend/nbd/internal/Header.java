package dev.holdfast.frontend.nbd.internal;

import dev.holdfast.nbd.Wire;
import java.nio.ByteBuffer;

/** A request's header, decoded into fields that are reused for the next request. */
final class Header {
  private boolean extended;
  private int flags;
  private int type;
  private long cookie;
  private long offset;
  private long length;

  /**
   * Decodes the header at the buffer's position, without moving it.
   *
   * @return false when the bytes are not a request header
   */
  boolean decode(ByteBuffer input, ReplyStyle style) {
    int start = input.position();
    extended = style == ReplyStyle.EXTENDED;
    int magic = input.getInt(start);
    flags = input.getShort(start + 4) & 0xffff;
    type = input.getShort(start + 6) & 0xffff;
    cookie = input.getLong(start + 8);
    offset = input.getLong(start + 16);
    return switch (style) {
      case SIMPLE, STRUCTURED -> {
        length = input.getInt(start + 24) & 0xffffffffL;
        yield magic == Wire.REQUEST_MAGIC;
      }
      case EXTENDED -> {
        length = input.getLong(start + 24);
        yield magic == Wire.EXTENDED_REQUEST_MAGIC;
      }
    };
  }

  int flags() {
    return flags;
  }

  boolean has(int flag) {
    return (flags & flag) != 0;
  }

  int type() {
    return type;
  }

  long cookie() {
    return cookie;
  }

  long offset() {
    return offset;
  }

  /** Returns the length in bytes; a negative value means more than any device has. */
  long length() {
    return length;
  }

  /** Returns the number of bytes that follow this header; a negative value means too many. */
  long payload() {
    boolean announced = extended && has(Wire.CMD_FLAG_PAYLOAD_LEN);
    return type == Wire.CMD_WRITE || announced ? length : 0;
  }

  boolean inside(long size) {
    return offset >= 0 && length >= 0 && length <= size && offset <= size - length;
  }
}
