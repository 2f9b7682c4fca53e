package dev.holdfast.engine.example.outside.internal.disk;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.engine.ReplicaInfo;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.initiator.HostProgram;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The files of one replica. Its folder appears and disappears as a whole.
 *
 * <pre>
 *   volume.img        the content, raw
 *   replica.json      {@link ReplicaRecord}
 *   lock              locked by the process that has the content open
 *   snapshots.json    {@link SnapshotCopies}, with snapshots/ID.img
 * </pre>
 */
public final class StoredReplica {
  private static final String RECORD = "replica.json";
  private static final String LOCKED = "75";
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final ReplicaLocation location;
  private final Path folder;

  /** Names the replica at a location without accessing it. */
  public StoredReplica(ReplicaLocation location) {
    this.location = location;
    this.folder = location.directory();
  }

  /** Returns its folder. */
  public Path folder() {
    return folder;
  }

  /** Returns the file with the content. */
  public Path image() {
    return folder.resolve("volume.img");
  }

  /** Returns the file that is locked. */
  public Path lock() {
    return folder.resolve("lock");
  }

  private String subject() {
    return "volume " + location.volume() + ": replica " + location.replica();
  }

  /**
   * Makes it, durably; succeeds when it is there.
   *
   * @throws StorageException INVALID when something else is there; NO_SPACE; IO
   */
  public void provision(long sizeBytes) throws StorageException {
    Optional<ReplicaRecord> present = find();
    if (present.isPresent()) {
      requireSame(present.get(), sizeBytes);
      return;
    }
    Path next = folder.resolveSibling("." + folder.getFileName() + ".new");
    try {
      deleteTree(next);
      Files.createDirectories(next);
      try (RandomAccessFile image =
          new RandomAccessFile(next.resolve("volume.img").toFile(), "rw")) {
        image.setLength(sizeBytes);
        image.getFD().sync();
      }
      Files.createFile(next.resolve("lock"));
      JsonFile.writeNew(
          next.resolve(RECORD),
          ReplicaRecord.created(location.volume(), location.replica(), sizeBytes).json());
      JsonFile.sync(next);
      Files.move(next, folder, StandardCopyOption.ATOMIC_MOVE);
      JsonFile.sync(folder.getParent());
    } catch (IOException e) {
      throw StorageException.io(subject() + ": " + folder, e);
    }
  }

  private void requireSame(ReplicaRecord present, long sizeBytes) throws StorageException {
    if (present.sizeBytes() != sizeBytes) {
      throw new StorageException(
          ErrorCode.INVALID,
          subject()
              + ": "
              + folder
              + " has "
              + present.sizeBytes()
              + " bytes, "
              + sizeBytes
              + " are requested: delete it or request its size");
    }
  }

  /**
   * Reads its record.
   *
   * @return empty when the folder is absent
   * @throws StorageException INVALID, naming what was found, when the folder holds something else
   */
  public Optional<ReplicaRecord> find() throws StorageException {
    Optional<JsonNode> json = JsonFile.read(folder.resolve(RECORD));
    if (json.isEmpty()) {
      requireAbsent();
      return Optional.empty();
    }
    ReplicaRecord found = ReplicaRecord.of(json.get());
    if (!found.volume().equals(location.volume()) || !found.replica().equals(location.replica())) {
      throw new StorageException(
          ErrorCode.INVALID,
          subject()
              + ": "
              + folder
              + " holds replica "
              + found.replica()
              + " of volume "
              + found.volume()
              + ": choose another place");
    }
    return Optional.of(found);
  }

  private void requireAbsent() throws StorageException {
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder)) {
      StringBuilder found = new StringBuilder();
      entries.forEach(entry -> found.append(' ').append(entry.getFileName()));
      throw new StorageException(
          ErrorCode.INVALID,
          subject()
              + ": "
              + folder
              + " holds no replica of engine example-outside but:"
              + (found.length() == 0 ? " nothing" : found)
              + ": remove the folder if its content is not needed");
    } catch (NoSuchFileException e) {
      return;
    } catch (NotDirectoryException e) {
      throw new StorageException(
          ErrorCode.INVALID, subject() + ": " + folder + " is a file: remove it if not needed", e);
    } catch (IOException e) {
      throw StorageException.io(subject() + ": " + folder, e);
    }
  }

  /**
   * Returns its record.
   *
   * @throws StorageException UNREACHABLE when it is absent
   */
  public ReplicaRecord require() throws StorageException {
    return find()
        .orElseThrow(
            () ->
                new StorageException(
                    ErrorCode.UNREACHABLE,
                    subject() + ": " + folder + " is absent: mount the shared directory there"));
  }

  /** Replaces its record; only for the holder of the lock. */
  public void write(ReplicaRecord record) throws StorageException {
    JsonFile.write(folder.resolve(RECORD), record.json());
  }

  /** Returns its state, empty when it is absent. */
  public Optional<ReplicaInfo> inspect() throws StorageException {
    Optional<ReplicaRecord> found = find();
    if (found.isEmpty()) {
      return Optional.empty();
    }
    long used = SnapshotCopies.usedBytes(image());
    for (var snapshot : new SnapshotCopies(this).list()) {
      used += snapshot.usedBytes();
    }
    return Optional.of(new ReplicaInfo(found.get().sizeBytes(), used, found.get().clean()));
  }

  /** Makes what was written to the content durable. */
  public void flush() throws StorageException {
    try {
      JsonFile.sync(image());
    } catch (IOException e) {
      throw StorageException.io(subject() + ": " + image(), e);
    }
  }

  /** Replaces the content; for the holder of the lock, while nothing has it open. */
  public void replaceImage(Path next) throws IOException {
    Files.move(next, image(), StandardCopyOption.ATOMIC_MOVE);
    JsonFile.sync(folder);
  }

  /** Returns the error of a lock that another process has. */
  public StorageException locked() throws StorageException {
    Optional<ReplicaRecord> last = find();
    String node = last.map(ReplicaRecord::node).orElse("");
    return new StorageException(
        ErrorCode.BUSY,
        subject()
            + ": its lock is held by node "
            + (node.isEmpty() ? "(not known)" : node)
            + ": detach the volume there, or end the qemu-storage-daemon of "
            + image()
            + " on that node");
  }

  /**
   * Removes it, under its lock. Succeeds when it is absent.
   *
   * @throws StorageException BUSY, naming the holder, while a process has it open; INVALID; IO
   */
  public void delete() throws StorageException {
    Path former = folder.resolveSibling("." + folder.getFileName() + ".deleted");
    try {
      if (find().isPresent()) {
        deleteTree(former);
        HostProgram.Result moved =
            HostProgram.run(
                PATIENCE,
                List.of(
                    HostProgram.require("flock", "util-linux").toString(),
                    "--nonblock",
                    "--conflict-exit-code=" + LOCKED,
                    lock().toString(),
                    HostProgram.require("mv", "coreutils").toString(),
                    "--no-target-directory",
                    folder.toString(),
                    former.toString()));
        requireMoved(moved);
        JsonFile.sync(folder.getParent());
      }
      deleteTree(former);
    } catch (IOException e) {
      throw StorageException.io(subject() + ": " + folder, e);
    }
  }

  private void requireMoved(HostProgram.Result moved) throws StorageException {
    if (Integer.toString(moved.exitCode()).equals(LOCKED)) {
      throw locked();
    }
    if (moved.exitCode() != 0) {
      throw new StorageException(
          ErrorCode.IO, subject() + ": could not move " + folder + ": " + moved.output());
    }
  }

  private static void deleteTree(Path root) throws IOException {
    if (Files.isDirectory(root)) {
      try (DirectoryStream<Path> entries = Files.newDirectoryStream(root)) {
        for (Path entry : entries) {
          deleteTree(entry);
        }
      }
    }
    Files.deleteIfExists(root);
  }
}
