package dev.holdfast.backupstore;

import dev.holdfast.backupstore.internal.Printable;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Restores a backup to a raw, sparse file. The file gets its name when its content is complete. */
public final class FileRestore {
  private final BackupReading reading;

  /**
   * Creates a restore.
   *
   * @param store the target, not null
   * @param threads how many blocks are read at a time, positive
   */
  public FileRestore(ObjectStore store, int threads) {
    this.reading = new BackupReading(store, threads);
  }

  /**
   * Writes the content of a volume at the moment of a backup. A file that is not complete has
   * another name, and none is left after a failure or a signal that ends the program.
   *
   * @param backup to restore, not null
   * @param file to create, which must not exist, not null
   * @param zeroDamaged whether a damaged block becomes zeroes instead of an error
   * @return the damaged blocks that became zeroes, by their offsets, never null
   * @throws DamagedBlockException for the first damaged block
   * @throws StorageException ALREADY_EXISTS for the file; NOT_FOUND for its folder; UNSUPPORTED for
   *     a volume with a backing image, whose bytes are not in the backup; NO_SPACE; what {@link
   *     BackupReading#all} throws
   */
  public List<DamagedBlock> write(StoredBackup backup, Path file, boolean zeroDamaged)
      throws StorageException {
    requireWhole(backup);
    requirePlace(file);
    try (PartialFile partial = new PartialFile(file)) {
      List<DamagedBlock> damaged = writePartial(backup, partial.path(), zeroDamaged);
      Files.move(partial.path(), file);
      return damaged;
    } catch (FileAlreadyExistsException e) {
      throw exists(file, e);
    } catch (AccessDeniedException e) {
      throw new StorageException(
          ErrorCode.FORBIDDEN, "file " + file + ": no permission to write in its folder", e);
    } catch (IOException e) {
      throw StorageException.io("file " + file, e);
    }
  }

  static void requireWhole(StoredBackup backup) throws StorageException {
    if (!backup.backingImage().isEmpty()) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          "backup "
              + backup.summary().name()
              + ": its volume is based on the backing image \""
              + Printable.of(backup.backingImage())
              + "\", whose bytes are not in the backup: restore it as a volume on the image");
    }
  }

  private static void requirePlace(Path file) throws StorageException {
    if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
      throw exists(file, null);
    }
    Path folder = file.toAbsolutePath().getParent();
    if (!Files.isDirectory(folder)) {
      throw new StorageException(
          ErrorCode.NOT_FOUND,
          "file " + file + ": the folder " + folder + " is missing: create it");
    }
  }

  private static StorageException exists(Path file, IOException cause) {
    return new StorageException(
        ErrorCode.ALREADY_EXISTS, "file " + file + ": exists: choose another name", cause);
  }

  private List<DamagedBlock> writePartial(StoredBackup backup, Path partial, boolean zeroDamaged)
      throws IOException, StorageException {
    try (RestoredFile content = new RestoredFile(partial, backup.volumeSizeBytes())) {
      FileSink sink = new FileSink(partial, content, backup.summary().name(), zeroDamaged);
      reading.all(backup, sink);
      content.sync();
      return sink.damaged();
    }
  }

  /** Writes blocks to their places; holes stay holes. */
  private static final class FileSink implements BlockSink {
    private final Path path;
    private final RestoredFile content;
    private final BackupName backup;
    private final boolean zeroDamaged;
    private final Queue<DamagedBlock> damaged = new ConcurrentLinkedQueue<>();

    FileSink(Path path, RestoredFile content, BackupName backup, boolean zeroDamaged) {
      this.path = path;
      this.content = content;
      this.backup = backup;
      this.zeroDamaged = zeroDamaged;
    }

    List<DamagedBlock> damaged() {
      return damaged.stream().sorted(Comparator.comparingLong(DamagedBlock::offset)).toList();
    }

    @Override
    public void block(long offset, ByteBuffer bytes) throws StorageException {
      try {
        content.write(offset, bytes);
      } catch (IOException e) {
        throw StorageException.io("file " + path, e);
      }
    }

    @Override
    public void damaged(DamagedBlock block) throws StorageException {
      if (!zeroDamaged) {
        throw new DamagedBlockException(backup, block);
      }
      damaged.add(block);
    }
  }
}
