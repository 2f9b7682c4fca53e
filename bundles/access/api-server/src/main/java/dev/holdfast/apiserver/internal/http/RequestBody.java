package dev.holdfast.apiserver.internal.http;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;

/** The body of one request: so many bytes, or chunks (RFC 9112, section 7.1). */
final class RequestBody extends InputStream {
  private static final int LARGEST_TRAILER = 8 << 10;
  private static final int LARGEST_CHUNK_LINE = 1 << 10;

  private final InputStream in;
  private final boolean chunked;
  private long left;
  private boolean begun;
  private boolean ended;

  /**
   * Begins a body.
   *
   * @param length -1 for chunks
   */
  RequestBody(InputStream in, long length) {
    this.in = in;
    this.chunked = length < 0;
    this.left = Math.max(0, length);
    this.ended = length == 0;
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
    if (!ended && left == 0) {
      nextChunk();
    }
    if (ended) {
      return -1;
    }
    int count = in.read(target, offset, (int) Math.min(length, left));
    if (count < 0) {
      throw new EOFException("the request ends in its body");
    }
    left -= count;
    ended = !chunked && left == 0;
    return count;
  }

  private void nextChunk() throws IOException {
    if (begun && !line(LARGEST_CHUNK_LINE).isEmpty()) {
      throw new BadRequestException("a chunk is longer than it says");
    }
    begun = true;
    String size = line(LARGEST_CHUNK_LINE).split(";", 2)[0].strip();
    if (!size.matches("[0-9A-Fa-f]{1,12}")) {
      throw new BadRequestException("the size of a chunk is not a number");
    }
    left = Long.parseLong(size, 16);
    if (left == 0) {
      int[] allowed = {LARGEST_TRAILER};
      String trailer = RequestHead.line(in, allowed);
      while (trailer != null && !trailer.isEmpty()) {
        trailer = RequestHead.line(in, allowed);
      }
      ended = true;
    }
  }

  private String line(int largest) throws IOException {
    String line = RequestHead.line(in, new int[] {largest});
    if (line == null) {
      throw new EOFException("the request ends in its body");
    }
    return line;
  }

  /** Reads and drops the rest; returns false when that is more than a limit. */
  boolean drain(int limit) throws IOException {
    byte[] dropped = new byte[8 << 10];
    int total = 0;
    for (int n = read(dropped); n >= 0; n = read(dropped)) {
      total += n;
      if (total > limit) {
        return false;
      }
    }
    return true;
  }
}
