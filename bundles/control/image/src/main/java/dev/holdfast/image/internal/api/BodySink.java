package dev.holdfast.image.internal.api;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.image.internal.content.ContentSink;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;

/** Writes content into the body of an answer. The answer begins with the first bytes. */
final class BodySink implements ContentSink {
  private static final byte[] ZEROES = new byte[64 << 10];

  private final Start start;
  private OutputStream out;

  /** Begins the answer. */
  @FunctionalInterface
  interface Start {
    OutputStream begin() throws IOException;
  }

  BodySink(Start start) {
    this.start = start;
  }

  /** Returns the body. */
  OutputStream body() throws StorageException {
    if (out == null) {
      try {
        out = start.begin();
      } catch (IOException e) {
        throw gone(e);
      }
    }
    return out;
  }

  @Override
  public void data(ByteBuffer bytes) throws StorageException {
    try {
      if (bytes.hasArray()) {
        body().write(bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining());
        bytes.position(bytes.limit());
      } else {
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(copy);
        body().write(copy);
      }
    } catch (IOException e) {
      throw gone(e);
    }
  }

  @Override
  public void zeroes(long length) throws StorageException {
    try {
      for (long left = length; left > 0; left -= Math.min(left, ZEROES.length)) {
        body().write(ZEROES, 0, (int) Math.min(left, ZEROES.length));
      }
    } catch (IOException e) {
      throw gone(e);
    }
  }

  /** Completes the body. */
  void finish() throws StorageException {
    try {
      body().close();
    } catch (IOException e) {
      throw gone(e);
    }
  }

  private static StorageException gone(IOException cause) {
    return new StorageException(ErrorCode.UNREACHABLE, "the client is gone: " + cause, cause);
  }
}
