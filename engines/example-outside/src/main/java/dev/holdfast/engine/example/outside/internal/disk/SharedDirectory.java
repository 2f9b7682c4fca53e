package dev.holdfast.engine.example.outside.internal.disk;

import dev.holdfast.engine.DiskInfo;
import dev.holdfast.engine.DiskKind;
import dev.holdfast.engine.DiskLocation;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * A directory that several nodes see, with a mark that identifies it. The platform's marker shows
 * that the directory is in use.
 */
public final class SharedDirectory {
  private static final String MARK = "example-outside-disk.json";
  private static final String PLATFORM_MARK = "longhorn-disk.cfg";
  private static final Set<String> NOTHING = Set.of("lost+found", "replicas");

  private final DiskLocation disk;
  private final Path mark;

  /** Names a directory without accessing it. */
  public SharedDirectory(DiskLocation disk) {
    this.disk = disk;
    this.mark = disk.path().resolve(MARK);
  }

  /**
   * Inspects the directory.
   *
   * @return empty when it is blank
   * @throws StorageException NOT_FOUND; INVALID naming what it holds; IO
   */
  public Optional<DiskInfo> inspect() throws StorageException {
    if (disk.kind() != DiskKind.DIRECTORY) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          "disk " + disk.path() + ": kind " + disk.kind() + " is not possible: use a directory");
    }
    if (!Files.isDirectory(disk.path())) {
      throw new StorageException(
          ErrorCode.NOT_FOUND,
          "disk " + disk.path() + ": the directory is missing: mount the shared directory there");
    }
    var json = JsonFile.read(mark);
    if (json.isPresent()) {
      return Optional.of(info(json.get().path("identity").asText()));
    }
    if (!Files.exists(disk.path().resolve(PLATFORM_MARK))) {
      requireBlank();
    }
    return Optional.empty();
  }

  private void requireBlank() throws StorageException {
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(disk.path())) {
      for (Path entry : entries) {
        String name = entry.getFileName().toString();
        if (!NOTHING.contains(name) && !name.startsWith("." + MARK)) {
          throw new StorageException(
              ErrorCode.INVALID,
              "disk "
                  + disk.path()
                  + ": it holds "
                  + name
                  + ", which engine example-outside did not make: use an empty directory, or"
                  + " remove it if it is not needed");
        }
      }
    } catch (IOException e) {
      throw StorageException.io("disk " + disk.path(), e);
    }
  }

  private DiskInfo info(String identity) throws StorageException {
    try {
      FileStore store = Files.getFileStore(disk.path());
      long size = store.getTotalSpace();
      return new DiskInfo(identity, size, Math.min(size, store.getUsableSpace()), size, true, true);
    } catch (IOException e) {
      throw StorageException.io("disk " + disk.path(), e);
    }
  }

  /** Takes it into use; when several nodes do at a time, one of them makes the mark. */
  public DiskInfo prepare() throws StorageException {
    Optional<DiskInfo> present = inspect();
    if (present.isPresent()) {
      return present.get();
    }
    String identity = UUID.randomUUID().toString();
    Path next = disk.path().resolve("." + MARK + "." + identity);
    try {
      JsonFile.writeNew(next, JsonFile.object().put("identity", identity));
      try {
        Files.createLink(mark, next);
      } catch (FileAlreadyExistsException e) {
        return inspect().orElseThrow();
      } finally {
        Files.delete(next);
      }
      JsonFile.sync(disk.path());
    } catch (IOException e) {
      throw StorageException.io("disk " + disk.path(), e);
    }
    return info(identity);
  }
}
