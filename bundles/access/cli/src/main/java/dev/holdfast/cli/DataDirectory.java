package dev.holdfast.cli;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The state directory of a node, as far as commands read it.
 *
 * @param path of the directory, absolute
 */
record DataDirectory(Path path) {
  /**
   * Returns the directory: the given one, else {@code HOLDFAST_DATA}, else the system's for root
   * and the user's own for others.
   */
  static DataDirectory choose(Optional<Path> given, Map<String, String> environment, String user) {
    Path fallback =
        user.equals("root")
            ? Path.of("/var/lib/holdfast")
            : Path.of(environment.getOrDefault("HOME", "/"), ".local/share/holdfast");
    Path chosen =
        given.orElseGet(
            () ->
                Optional.ofNullable(environment.get("HOLDFAST_DATA"))
                    .filter(value -> !value.isEmpty())
                    .map(Path::of)
                    .orElse(fallback));
    return new DataDirectory(chosen.toAbsolutePath().normalize());
  }

  Path kubeconfig() {
    return path.resolve("kubeconfig");
  }

  /**
   * Rejects a file that exists but that this user cannot read.
   *
   * @throws StorageException FORBIDDEN
   */
  static void requirePermission(Path file) throws StorageException {
    Path present = file;
    while (present.getParent() != null && !Files.exists(present)) {
      present = present.getParent();
    }
    boolean allowed =
        present.equals(file)
            ? Files.isReadable(present)
            : !Files.isDirectory(present) || Files.isExecutable(present);
    if (!allowed) {
      throw new StorageException(
          ErrorCode.FORBIDDEN,
          "no permission to read " + file + ": run the command as " + owner(present));
    }
  }

  private static String owner(Path path) {
    try {
      return Files.getOwner(path).getName();
    } catch (IOException e) {
      return "its owner";
    }
  }

  Path initiators() {
    return path.resolve("initiators");
  }

  Path mounts() {
    return path.resolve("mounts");
  }

  /** Returns the pid of the container if it is running. */
  OptionalLong pid() throws StorageException {
    requirePermission(path.resolve("holdfast.pid"));
    Optional<String> text = text(path.resolve("holdfast.pid"));
    if (text.isEmpty() || !text.get().strip().matches("\\d{1,18}")) {
      return OptionalLong.empty();
    }
    long pid = Long.parseLong(text.get().strip());
    boolean alive = ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isPresent();
    return alive ? OptionalLong.of(pid) : OptionalLong.empty();
  }

  private static Optional<String> text(Path file) throws StorageException {
    try {
      return Optional.of(Files.readString(file));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw StorageException.io(file.toString(), e);
    }
  }
}
