package dev.holdfast.image.internal.exchange;

import com.google.protobuf.ByteString;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Bytes from another node as a stream. One thread fills it, another thread reads it. */
final class ReceivedBody extends InputStream {
  private static final long STALL_SECONDS = 90;

  private final BlockingQueue<Piece> pieces = new LinkedBlockingQueue<>();
  private final Runnable more;
  private Piece current = new Piece(ByteBuffer.allocate(0), false, "");

  /** Bytes, or the end of the stream. */
  private record Piece(ByteBuffer bytes, boolean last, String failure) {}

  /**
   * Creates an empty stream.
   *
   * @param more requests the next piece; at most one piece is queued while one is read
   */
  ReceivedBody(Runnable more) {
    this.more = more;
  }

  /** Adds bytes. */
  void add(ByteString bytes) {
    pieces.add(new Piece(bytes.asReadOnlyByteBuffer(), false, ""));
  }

  /** Ends the body. With a failure, the reader gets an exception. */
  void end(String failure) {
    pieces.add(new Piece(ByteBuffer.allocate(0), true, failure));
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    while (!current.bytes().hasRemaining()) {
      if (current.last()) {
        if (!current.failure().isEmpty()) {
          throw new IOException(current.failure());
        }
        return -1;
      }
      next();
    }
    int count = Math.min(length, current.bytes().remaining());
    current.bytes().get(target, offset, count);
    return count;
  }

  private void next() throws IOException {
    try {
      more.run();
      Piece taken = pieces.poll(STALL_SECONDS, TimeUnit.SECONDS);
      if (taken == null) {
        throw new IOException("no bytes within " + STALL_SECONDS + " s");
      }
      current = taken;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("this node stops", e);
    }
  }
}
