package dev.holdfast.fileobjects;

import dev.holdfast.backuptarget.ObjectKeys;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;

/** The folder in which objects are written before they get their names. Thread-safe. */
final class StagingFolder {
  /** A crashed writer leaves a file behind; a put never takes this long. */
  private static final Duration ABANDONED = Duration.ofDays(1);

  private final Path root;
  private final Path folder;
  private final AtomicBoolean cleaned = new AtomicBoolean();

  StagingFolder(Path root) {
    this.root = root;
    this.folder = root.resolve(ObjectKeys.RESERVED + "put");
  }

  /** Returns a synced file with the bytes; the caller moves or deletes it. */
  Path write(List<ByteBuffer> content) throws IOException {
    Folders.create(root, folder);
    Path file = folder.resolve(UUID.randomUUID().toString());
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW)) {
      for (ByteBuffer part : content) {
        ByteBuffer left = part.duplicate();
        while (left.hasRemaining()) {
          channel.write(left);
        }
      }
      channel.force(true);
    } catch (IOException e) {
      Files.deleteIfExists(file);
      throw e;
    }
    if (cleaned.compareAndSet(false, true)) {
      removeAbandoned(Files.getLastModifiedTime(file));
    }
    return file;
  }

  private void removeAbandoned(FileTime now) throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
      for (Path file : files) {
        if (isAbandoned(file, now)) {
          Files.deleteIfExists(file);
        }
      }
    }
  }

  private static boolean isAbandoned(Path file, FileTime now) throws IOException {
    try {
      return Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
          && Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS)
              .toInstant()
              .plus(ABANDONED)
              .isBefore(now.toInstant());
    } catch (NoSuchFileException e) {
      // Its writer has moved it to its place since the folder was read.
      return false;
    }
  }
}
