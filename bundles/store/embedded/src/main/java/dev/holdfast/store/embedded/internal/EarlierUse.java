package dev.holdfast.store.embedded.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Detects volumes in a data directory that only a store describes. A node that starts there with an
 * empty store would show no volumes and assign their disks to new ones.
 *
 * @param data directory of the node's state
 */
record EarlierUse(Path data) {
  /**
   * Refuses an empty store in a directory that was used.
   *
   * @param file of the store
   * @param state reason why the store is empty
   * @throws StorageException IO
   */
  void refuse(Path file, String state) throws StorageException {
    Optional<String> found = found();
    if (found.isPresent()) {
      throw new StorageException(
          ErrorCode.IO,
          "the store "
              + file
              + " is "
              + state
              + ", but "
              + found.get()
              + ": put a copy of the store in its place,"
              + " or start once with -Dholdfast.store.empty=allow and import the replicas");
    }
  }

  private Optional<String> found() throws StorageException {
    Path disks = data.resolve("disks");
    try {
      Path use = data.resolve("volume-use");
      if (Files.isDirectory(disks)) {
        try (DirectoryStream<Path> directories = Files.newDirectoryStream(disks)) {
          for (Path disk : directories) {
            Optional<Path> replica = first(disk.resolve("replicas"));
            if (replica.isPresent()) {
              return Optional.of("there are replicas of volumes, such as " + replica.get());
            }
          }
        }
      }
      return Files.exists(use) && Files.size(use) > 0
          ? Optional.of("this node has served volumes, which " + use + " names")
          : Optional.empty();
    } catch (IOException e) {
      throw StorageException.io("look for replicas in " + disks, e);
    }
  }

  private static Optional<Path> first(Path replicas) throws IOException {
    if (!Files.isDirectory(replicas)) {
      return Optional.empty();
    }
    try (DirectoryStream<Path> found = Files.newDirectoryStream(replicas)) {
      for (Path replica : found) {
        return Optional.of(replica);
      }
    }
    return Optional.empty();
  }
}
