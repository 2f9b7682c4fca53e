package dev.holdfast.diskimage;

import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Reads complete disks. */
final class ReadDisk {
  static final long LIMIT = 1L << 30;

  private ReadDisk() {}

  static VirtualDisk open(Path image) throws StorageException {
    return DiskImages.open(FileBytes.open("test", image), Optional.empty(), LIMIT);
  }

  /** Reads run by run, in pieces of an odd size; skips zero runs. */
  static byte[] content(Path image, int piece) throws StorageException {
    try (VirtualDisk disk = open(image)) {
      byte[] content = new byte[(int) disk.size()];
      ByteBuffer buffer = ByteBuffer.allocateDirect(piece);
      for (long at = 0; at < disk.size(); ) {
        VirtualDisk.Run run = disk.run(at);
        if (run.length() <= 0) {
          throw new AssertionError("run of " + run.length() + " bytes at " + at);
        }
        long end = at + run.length();
        while (!run.zero() && at < end) {
          buffer.clear().limit((int) Math.min(piece, end - at));
          disk.read(at, buffer);
          buffer.flip();
          buffer.get(content, (int) at, buffer.limit());
          at += buffer.limit();
        }
        at = end;
      }
      return content;
    }
  }

  /** Reads the disk with two readers on two threads, which alternate. */
  static byte[] contentOfTwoReaders(Path image, int piece) throws Exception {
    try (VirtualDisk disk = open(image);
        VirtualDisk another = disk.another()) {
      byte[] content = new byte[(int) disk.size()];
      CompletableFuture<Void> other =
          CompletableFuture.runAsync(() -> readEverySecond(another, content, piece, piece));
      readEverySecond(disk, content, 0, piece);
      other.get();
      return content;
    }
  }

  private static void readEverySecond(VirtualDisk disk, byte[] content, int from, int piece) {
    try {
      for (int at = from; at < content.length; at += 2 * piece) {
        disk.read(at, ByteBuffer.wrap(content, at, Math.min(piece, content.length - at)));
      }
    } catch (StorageException e) {
      throw new AssertionError(e);
    }
  }

  /** Reads the complete disk including zero runs. */
  static byte[] plainContent(Path image) throws StorageException {
    try (VirtualDisk disk = open(image)) {
      ByteBuffer buffer = ByteBuffer.allocate((int) disk.size());
      disk.read(0, buffer);
      return buffer.array();
    }
  }
}
