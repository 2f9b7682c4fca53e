package dev.holdfast.fileobjects;

import dev.holdfast.backuptarget.StoredObject;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Represents files as objects. */
final class FileObjects {
  private FileObjects() {}

  /**
   * Returns the attributes of a path without following links; empty only when it certainly does not
   * exist.
   *
   * @throws IOException when that is unknown, for example because a server does not answer
   */
  static Optional<BasicFileAttributes> attributes(Path path) throws IOException {
    try {
      return Optional.of(
          Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (FileSystemException e) {
      if ("Not a directory".equals(e.getReason())) {
        return Optional.empty();
      }
      throw e;
    }
  }

  /** Returns whether a path is a regular file. */
  static boolean isFile(Path path) throws IOException {
    return attributes(path).filter(BasicFileAttributes::isRegularFile).isPresent();
  }

  /** Describes a file. Its inode distinguishes it from the file that it replaced. */
  static StoredObject describe(String key, Path file) throws IOException {
    Map<String, Object> attributes =
        Files.readAttributes(file, "unix:ino,size,lastModifiedTime", LinkOption.NOFOLLOW_LINKS);
    FileTime modified = (FileTime) attributes.get("lastModifiedTime");
    long size = (Long) attributes.get("size");
    String tag = attributes.get("ino") + "-" + size + "-" + modified.to(TimeUnit.NANOSECONDS);
    return new StoredObject(key, size, tag, modified.toInstant());
  }

  /** Fills the buffer from an offset of an open file. */
  static void read(String key, FileChannel channel, long offset, ByteBuffer target)
      throws IOException, StorageException {
    long position = offset;
    while (target.hasRemaining()) {
      int count = channel.read(target, position);
      if (count < 0) {
        throw new StorageException(
            ErrorCode.IO,
            "object "
                + key
                + ": has "
                + channel.size()
                + " bytes: it ends before byte "
                + position);
      }
      position += count;
    }
  }
}
