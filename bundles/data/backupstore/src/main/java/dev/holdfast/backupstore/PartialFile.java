package dev.holdfast.backupstore;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

/**
 * The name of a file that is not complete. What has the name is deleted when this is closed, and
 * also when a signal ends the program before.
 */
final class PartialFile implements AutoCloseable {
  private final Path path;
  private final Thread hook;

  /** Chooses a name beside that of the complete file. */
  PartialFile(Path complete) {
    this.path = complete.resolveSibling(complete.getFileName() + "." + UUID.randomUUID() + ".part");
    this.hook = new Thread(path.toFile()::delete, "delete-" + path.getFileName());
    Runtime.getRuntime().addShutdownHook(hook);
  }

  Path path() {
    return path;
  }

  @Override
  public void close() throws IOException {
    Files.deleteIfExists(path);
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The program ends: the hook runs, and finds nothing.
    }
  }
}
