package dev.holdfast.backupstore.internal;

import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Objects;

/** An object as a stream of ranges. The failure of a range is the cause of the exception. */
public final class ObjectInput extends InputStream {
  private static final int RANGE = 256 << 10;

  private final ObjectStore store;
  private final String key;
  private final long size;
  private final ByteBuffer range;
  private long next;

  public ObjectInput(ObjectStore store, String key, long size) {
    this.store = store;
    this.key = key;
    this.size = size;
    this.range = ByteBuffer.allocate((int) Math.min(RANGE, size)).flip();
  }

  @Override
  public int read() throws IOException {
    return fill() ? range.get() & 0xff : -1;
  }

  @Override
  public int read(byte[] bytes, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, bytes.length);
    if (length == 0) {
      return 0;
    }
    if (!fill()) {
      return -1;
    }
    int count = Math.min(length, range.remaining());
    range.get(bytes, offset, count);
    return count;
  }

  private boolean fill() throws IOException {
    if (!range.hasRemaining() && next < size) {
      range.clear().limit((int) Math.min(range.capacity(), size - next));
      try {
        store.get(key, next, range);
      } catch (StorageException e) {
        range.limit(0);
        throw new IOException(e.getMessage(), e);
      }
      next += range.flip().remaining();
    }
    return range.hasRemaining();
  }
}
