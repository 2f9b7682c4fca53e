package dev.holdfast.frontend.nbd.internal;

import dev.holdfast.nbd.Wire;
import java.nio.ByteBuffer;

/** The three forms of replies that a client can negotiate. */
enum ReplyStyle {
  /** A header of 16 bytes and, after a successful read, the data. */
  SIMPLE(16, 16, 28),
  /** Chunks with a 32-bit length. */
  STRUCTURED(20, 28, 28),
  /** Chunks with offset and 64-bit length; requests have 64-bit lengths too. */
  EXTENDED(32, 40, 32);

  private final int header;
  private final int data;
  private final int request;

  ReplyStyle(int header, int data, int request) {
    this.header = header;
    this.data = data;
    this.request = request;
  }

  /** Returns the number of bytes before a reply's or chunk's content. */
  int header() {
    return header;
  }

  /** Returns the offset of a read's data in its reply. */
  int dataOffset() {
    return data;
  }

  /** Returns the number of bytes of a request's header. */
  int requestHeader() {
    return request;
  }

  /** Writes the header of a successful read's data at the buffer's start. */
  void putDataHeader(ByteBuffer buffer, boolean last, long cookie, long offset, int length) {
    switch (this) {
      case SIMPLE -> putSimple(buffer, 0, cookie);
      case STRUCTURED, EXTENDED -> {
        putChunk(buffer, last, Wire.REPLY_OFFSET_DATA, cookie, offset, length + Long.BYTES);
        buffer.putLong(this.header, offset);
      }
    }
  }

  /** Writes a reply without content, and leaves the position at its end. */
  void putDone(ByteBuffer buffer, long cookie, long offset) {
    switch (this) {
      case SIMPLE, STRUCTURED -> {
        // A simple reply is shorter, and allowed for every request except a read.
        putSimple(buffer, 0, cookie);
        buffer.position(SIMPLE.header);
      }
      case EXTENDED -> {
        putChunk(buffer, true, Wire.REPLY_NONE, cookie, offset, 0);
        buffer.position(header);
      }
    }
  }

  /** Writes an error, and leaves the position at its end. */
  void putError(
      ByteBuffer buffer, boolean last, long cookie, long offset, int error, byte[] message) {
    if (this == SIMPLE) {
      putSimple(buffer, error, cookie);
      buffer.position(header);
      return;
    }
    // Other chunks follow only a part of a read; the error of such a part names its offset.
    int content = Integer.BYTES + Short.BYTES + message.length + (last ? 0 : Long.BYTES);
    int type = last ? Wire.REPLY_ERROR : Wire.REPLY_ERROR_OFFSET;
    putChunk(buffer, last, type, cookie, offset, content);
    buffer.position(header);
    buffer.putInt(error).putShort((short) message.length).put(message);
    if (!last) {
      buffer.putLong(offset);
    }
  }

  /** Writes a chunk's header at the buffer's start. */
  void putChunk(ByteBuffer buffer, boolean last, int type, long cookie, long offset, long length) {
    buffer.putInt(0, this == EXTENDED ? Wire.EXTENDED_REPLY_MAGIC : Wire.STRUCTURED_REPLY_MAGIC);
    buffer.putShort(4, (short) (last ? Wire.REPLY_FLAG_DONE : 0));
    buffer.putShort(6, (short) type);
    buffer.putLong(8, cookie);
    if (this == EXTENDED) {
      buffer.putLong(16, offset);
      buffer.putLong(24, length);
    } else {
      buffer.putInt(16, (int) length);
    }
  }

  private static void putSimple(ByteBuffer buffer, int error, long cookie) {
    buffer.putInt(0, Wire.SIMPLE_REPLY_MAGIC);
    buffer.putInt(4, error);
    buffer.putLong(8, cookie);
  }
}
