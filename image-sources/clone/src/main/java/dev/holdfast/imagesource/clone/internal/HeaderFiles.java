package dev.holdfast.imagesource.clone.internal;

import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.stream.Stream;

/** Files with headers of LUKS containers, in a folder of this bundle. Thread-safe. */
final class HeaderFiles {
  private final Path folder;

  HeaderFiles(Path folder) {
    this.folder = folder;
  }

  /** Deletes what a node that was killed left. */
  void clear() throws StorageException {
    if (!Files.isDirectory(folder)) {
      return;
    }
    try (Stream<Path> left = Files.list(folder)) {
      for (Path file : left.toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw StorageException.io(folder.toString(), e);
    }
  }

  /** A file that is deleted when it is closed. */
  record HeaderFile(Path path, FileChannel channel) implements AutoCloseable {
    @Override
    public void close() throws StorageException {
      try (channel) {
        Files.deleteIfExists(path);
      } catch (IOException e) {
        throw StorageException.io(path.toString(), e);
      }
    }
  }

  /** Creates an empty file that only this user can read. */
  HeaderFile create() throws StorageException {
    try {
      Files.createDirectories(folder);
      Path file = Files.createTempFile(folder, "header-", ".luks");
      return new HeaderFile(
          file, FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE));
    } catch (IOException e) {
      throw StorageException.io(folder.toString(), e);
    }
  }
}
