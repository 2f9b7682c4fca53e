package dev.holdfast.imagesource.download.internal;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;

/** A body in chunks (RFC 9112, section 7.1). */
final class ChunkedBody extends InputStream {
  private static final int LARGEST_LINE = 1 << 10;
  private static final int LARGEST_TRAILER = 8 << 10;

  private final InputStream in;
  private long left;
  private boolean begun;
  private boolean ended;

  ChunkedBody(InputStream in) {
    this.in = in;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    if (left == 0 && !ended) {
      nextChunk();
    }
    if (ended) {
      return -1;
    }
    int count = in.read(target, offset, (int) Math.min(length, left));
    if (count < 0) {
      throw new EOFException("the server ends the connection inside a chunk");
    }
    left -= count;
    return count;
  }

  private void nextChunk() throws IOException {
    if (begun && !line(LARGEST_LINE).isEmpty()) {
      throw new IOException("a chunk is longer than it says");
    }
    begun = true;
    String size = line(LARGEST_LINE).split(";", 2)[0].strip();
    if (!size.matches("[0-9A-Fa-f]{1,15}")) {
      throw new IOException("the size of a chunk is not a number");
    }
    left = Long.parseLong(size, 16);
    if (left == 0) {
      int[] allowed = {LARGEST_TRAILER};
      while (!ended) {
        ended = ResponseHead.line(in, allowed, () -> {}).isEmpty();
      }
    }
  }

  private String line(int largest) throws IOException {
    return ResponseHead.line(in, new int[] {largest}, () -> {});
  }
}
