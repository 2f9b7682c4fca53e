package dev.holdfast.imagesource.upload.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.imagesource.ImageBody;
import dev.holdfast.imagesource.ImageSink;
import dev.holdfast.imagesource.ImageTransfer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;

/** Passes the bytes of one client on. */
final class UploadTransfer implements ImageTransfer {
  private static final int PIECE = 256 << 10;

  private final String image;
  private final ImageBody body;
  private volatile boolean closed;

  UploadTransfer(String image, ImageBody body) {
    this.image = image;
    this.body = body;
  }

  @Override
  public void run(ImageSink sink) throws StorageException {
    sink.restart(Optional.empty());
    sink.total(body.size());
    byte[] piece = new byte[PIECE];
    long left = body.size();
    while (left > 0) {
      int count = read(piece, (int) Math.min(piece.length, left));
      if (count < 0) {
        throw wrong("the body ends " + left + " bytes before its size of " + body.size());
      }
      sink.write(ByteBuffer.wrap(piece, 0, count));
      left -= count;
    }
    if (read(piece, 1) >= 0) {
      throw wrong("the body is larger than its size of " + body.size() + " bytes");
    }
  }

  private int read(byte[] piece, int length) throws StorageException {
    try {
      int count = closed ? -1 : body.bytes().read(piece, 0, length);
      if (closed) {
        throw new StorageException(ErrorCode.TIMEOUT, "image " + image + ": the upload was ended");
      }
      return count;
    } catch (IOException e) {
      throw new StorageException(
          ErrorCode.UNREACHABLE,
          "image " + image + ": the upload broke off: " + e.getMessage() + ": send it again",
          e);
    }
  }

  private StorageException wrong(String why) {
    return new StorageException(ErrorCode.INVALID, "image " + image + ": " + why);
  }

  @Override
  public void close() {
    closed = true;
  }
}
