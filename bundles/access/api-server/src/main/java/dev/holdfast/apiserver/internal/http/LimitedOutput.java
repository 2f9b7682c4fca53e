package dev.holdfast.apiserver.internal.http;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;

/** Output whose client must take each piece in time. */
final class LimitedOutput extends FilterOutputStream {
  /** A write of more is cut: each piece that the client takes is progress. */
  private static final int PIECE = 64 << 10;

  private final Deadline deadline;
  private final Duration limit;

  LimitedOutput(OutputStream out, Deadline deadline, Duration limit) {
    super(out);
    this.deadline = deadline;
    this.limit = limit;
  }

  @Override
  public void write(int b) throws IOException {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    try {
      for (int done = 0; done < length; done += PIECE) {
        deadline.within(limit);
        out.write(bytes, offset + done, Math.min(PIECE, length - done));
      }
    } finally {
      deadline.clear();
    }
  }

  @Override
  public void flush() throws IOException {
    deadline.within(limit);
    try {
      out.flush();
    } finally {
      deadline.clear();
    }
  }
}
