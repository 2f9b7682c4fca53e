package dev.holdfast.backupstore;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A new file of a fixed size that has room on the disk only for bytes other than zero, in pages of
 * 4 KiB. Several threads may write to different places.
 */
final class RestoredFile implements AutoCloseable {
  private static final int PAGE = 4 << 10;
  private static final ByteBuffer ZEROES = ByteBuffer.allocate(PAGE).asReadOnlyBuffer();

  private final RandomAccessFile file;
  private final FileChannel channel;

  /**
   * Creates the file.
   *
   * @throws IOException also if it exists
   */
  RestoredFile(Path path, long size) throws IOException {
    Files.createFile(path);
    this.file = new RandomAccessFile(path.toFile(), "rw");
    this.channel = file.getChannel();
    file.setLength(size);
  }

  /** Writes bytes to a place that was not written before, which is a multiple of a page. */
  void write(long offset, ByteBuffer bytes) throws IOException {
    int start = bytes.position();
    int end = bytes.limit();
    int page = start;
    while (page < end) {
      int next = Math.min(page + PAGE, end);
      if (isZero(bytes, page, next)) {
        page = next;
        continue;
      }
      int first = page;
      while (page < end && !isZero(bytes, page, Math.min(page + PAGE, end))) {
        page = Math.min(page + PAGE, end);
      }
      writeFully(bytes.slice(first, page - first), offset + first - start);
    }
  }

  private static boolean isZero(ByteBuffer bytes, int from, int to) {
    return bytes.slice(from, to - from).mismatch(ZEROES.slice(0, to - from)) < 0;
  }

  private void writeFully(ByteBuffer bytes, long offset) throws IOException {
    long position = offset;
    while (bytes.hasRemaining()) {
      position += channel.write(bytes, position);
    }
  }

  /** Returns when everything that was written is durable. */
  void sync() throws IOException {
    channel.force(true);
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
