package dev.holdfast.diskimage;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;

/** The bytes of a file. Opens only this file: names in the image are never followed. */
public final class FileBytes implements ImageBytes {
  private final String name;
  private final FileChannel file;
  private final long size;

  private FileBytes(String name, FileChannel file, long size) {
    this.name = name;
    this.file = file;
    this.size = size;
  }

  /**
   * Opens a file.
   *
   * @param name of the image, for messages
   * @param path of a regular file; a symbolic link is refused
   * @throws StorageException INVALID when it is not a regular file; IO
   */
  public static FileBytes open(String name, Path path) throws StorageException {
    if (!Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
      throw new StorageException(
          ErrorCode.INVALID, "image " + name + ": " + path + " is not a regular file");
    }
    try {
      FileChannel file =
          FileChannel.open(path, Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS));
      return new FileBytes(name, file, file.size());
    } catch (IOException e) {
      throw StorageException.io("image " + name + ": open " + path, e);
    }
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public void read(long position, ByteBuffer target) throws StorageException {
    long at = position;
    try {
      while (target.hasRemaining()) {
        int count = file.read(target, at);
        if (count < 0) {
          throw new StorageException(
              ErrorCode.INVALID, "image " + name + ": it ends at byte " + at);
        }
        at += count;
      }
    } catch (IOException e) {
      throw StorageException.io("image " + name + ": read", e);
    }
  }

  @Override
  public void close() {
    try {
      file.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
