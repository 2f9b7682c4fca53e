package dev.holdfast.frontend.nbd.internal;

import dev.holdfast.block.ExtentKind;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.nbd.Wire;
import java.nio.ByteBuffer;

/**
 * Collects extents as descriptors of {@code base:allocation}, directly in the reply's buffer.
 * Adjacent extents of one kind are merged.
 */
final class BlockStatus implements ExtentVisitor {
  private static final int CONTEXT_ID = 1;

  private final ByteBuffer buffer;
  private final boolean extended;
  private final int descriptors;
  private final int limit;
  private final long end;
  private final int most;
  private int count;
  private long reached;
  private long currentLength;
  private int currentFlags;

  BlockStatus(ByteBuffer buffer, ReplyStyle style, long offset, long length, boolean one) {
    this.buffer = buffer;
    this.extended = style == ReplyStyle.EXTENDED;
    this.descriptors = style.header() + Integer.BYTES + (extended ? Integer.BYTES : 0);
    this.limit = (buffer.capacity() - descriptors) / size();
    this.reached = offset;
    this.end = offset + length;
    this.most = one ? 1 : limit;
  }

  @Override
  public boolean extent(long offset, long length, ExtentKind kind) {
    long last = Math.min(end, offset + length);
    if (last <= reached) {
      return reached < end;
    }
    int flags = flags(kind);
    if (currentLength > 0 && flags == currentFlags) {
      currentLength += last - reached;
    } else {
      if (currentLength > 0 && !close()) {
        return false;
      }
      currentFlags = flags;
      currentLength = last - reached;
    }
    reached = last;
    return reached < end;
  }

  /** Writes the reply's header and ends the descriptors; an empty report is an error. */
  void put(ByteBuffer target, ReplyStyle style, long cookie, long offset) {
    if (currentLength > 0) {
      close();
    }
    if (count == 0) {
      byte[] message = ErrorText.of("the device reported no extent");
      style.putError(target, true, cookie, offset, Wire.EIO, message);
      return;
    }
    int content = descriptors - style.header() + count * size();
    int type = extended ? Wire.REPLY_BLOCK_STATUS_EXTENDED : Wire.REPLY_BLOCK_STATUS;
    style.putChunk(target, true, type, cookie, offset, content);
    target.putInt(style.header(), CONTEXT_ID);
    if (extended) {
      target.putInt(style.header() + Integer.BYTES, count);
    }
    target.position(style.header() + content);
  }

  /** Writes the current descriptor. Returns whether another one may follow. */
  private boolean close() {
    int at = descriptors + count * size();
    if (extended) {
      buffer.putLong(at, currentLength);
      buffer.putLong(at + Long.BYTES, currentFlags);
    } else {
      buffer.putInt(at, (int) currentLength);
      buffer.putInt(at + Integer.BYTES, currentFlags);
    }
    currentLength = 0;
    count++;
    return count < most;
  }

  private int size() {
    return extended ? 2 * Long.BYTES : 2 * Integer.BYTES;
  }

  private static int flags(ExtentKind kind) {
    return switch (kind) {
      case DATA -> 0;
      case ZERO -> Wire.STATE_ZERO;
      case HOLE -> Wire.STATE_HOLE | Wire.STATE_ZERO;
    };
  }
}
