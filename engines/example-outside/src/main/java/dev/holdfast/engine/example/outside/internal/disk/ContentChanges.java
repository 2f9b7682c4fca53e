package dev.holdfast.engine.example.outside.internal.disk;

import dev.holdfast.block.ExtentKind;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.error.StorageException;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/** Compares two contents block by block. Full copies know nothing else of each other. */
public final class ContentChanges {
  private static final int BLOCK = 4096;
  private static final int PIECE = 256 * BLOCK;

  private ContentChanges() {}

  /**
   * Reports the blocks that differ.
   *
   * @param older empty for zeroes
   * @param newer of the same size
   */
  public static void visit(Optional<Path> older, Path newer, ExtentVisitor visitor)
      throws StorageException {
    try (FileChannel after = FileChannel.open(newer, StandardOpenOption.READ);
        FileChannel before =
            FileChannel.open(older.orElse(Path.of("/dev/zero")), StandardOpenOption.READ)) {
      ByteBuffer left = ByteBuffer.allocateDirect(PIECE);
      ByteBuffer right = ByteBuffer.allocateDirect(PIECE);
      long size = after.size();
      for (long at = 0; at < size; at += PIECE) {
        int length = (int) Math.min(PIECE, size - at);
        fill(before, at, left.clear().limit(length));
        fill(after, at, right.clear().limit(length));
        if (!compare(at, left, right, visitor)) {
          return;
        }
      }
    } catch (IOException e) {
      throw StorageException.io(newer.toString(), e);
    }
  }

  private static void fill(FileChannel file, long offset, ByteBuffer target) throws IOException {
    while (target.hasRemaining()) {
      if (file.read(target, offset + target.position()) < 0) {
        throw new EOFException("the file is too short");
      }
    }
    target.flip();
  }

  private static boolean compare(
      long offset, ByteBuffer left, ByteBuffer right, ExtentVisitor visitor) {
    for (int at = 0; at < left.limit(); at += BLOCK) {
      int length = Math.min(BLOCK, left.limit() - at);
      boolean same = left.slice(at, length).equals(right.slice(at, length));
      if (!visitor.extent(offset + at, length, same ? ExtentKind.HOLE : ExtentKind.DATA)) {
        return false;
      }
    }
    return true;
  }
}
