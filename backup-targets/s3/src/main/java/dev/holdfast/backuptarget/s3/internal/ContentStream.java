package dev.holdfast.backuptarget.s3.internal;

import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** The bytes of buffers as a stream. The buffers' positions stay. */
final class ContentStream extends InputStream {
  private final Deque<ByteBuffer> rest = new ArrayDeque<>();

  ContentStream(List<ByteBuffer> content) {
    content.forEach(buffer -> rest.add(buffer.duplicate()));
  }

  static long size(List<ByteBuffer> content) {
    return content.stream().mapToLong(ByteBuffer::remaining).sum();
  }

  /** Removes buffers that are read; returns whether bytes are left. */
  private boolean hasMore() {
    while (!rest.isEmpty() && !rest.peek().hasRemaining()) {
      rest.remove();
    }
    return !rest.isEmpty();
  }

  @Override
  public int read() {
    return hasMore() ? rest.element().get() & 0xff : -1;
  }

  @Override
  public int read(byte[] target, int offset, int length) {
    if (length == 0) {
      return 0;
    }
    if (!hasMore()) {
      return -1;
    }
    int count = Math.min(length, rest.element().remaining());
    rest.element().get(target, offset, count);
    return count;
  }
}
