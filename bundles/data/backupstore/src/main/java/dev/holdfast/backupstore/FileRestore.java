package dev.holdfast.backupstore;

import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
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
   * Writes the content of a volume at the moment of a backup.
   *
   * @param backup to restore, not null
   * @param file to create, which must not exist, not null
   * @param zeroDamaged whether a damaged block becomes zeroes instead of an error
   * @return the damaged blocks that became zeroes, never null
   * @throws StorageException ALREADY_EXISTS for the file; IO for the first damaged block, naming
   *     it; NO_SPACE; what {@link BackupReading#all} throws. No file is left then.
   */
  public List<DamagedBlock> write(StoredBackup backup, Path file, boolean zeroDamaged)
      throws StorageException {
    if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
      throw exists(file, null);
    }
    Path partial = file.resolveSibling(file.getFileName() + "." + UUID.randomUUID() + ".part");
    try {
      List<DamagedBlock> damaged = writePartial(backup, partial, zeroDamaged);
      Files.move(partial, file);
      return damaged;
    } catch (FileAlreadyExistsException e) {
      throw exists(file, e);
    } catch (IOException e) {
      throw StorageException.io("file " + file, e);
    } finally {
      deletePartial(partial);
    }
  }

  private static StorageException exists(Path file, IOException cause) {
    return new StorageException(
        ErrorCode.ALREADY_EXISTS, "file " + file + ": exists: choose another name", cause);
  }

  private List<DamagedBlock> writePartial(StoredBackup backup, Path partial, boolean zeroDamaged)
      throws IOException, StorageException {
    try (FileChannel channel =
        FileChannel.open(partial, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW)) {
      FileSink sink = new FileSink(partial, channel, backup.summary().name(), zeroDamaged);
      reading.all(backup, sink);
      if (channel.size() < backup.volumeSizeBytes()) {
        channel.write(ByteBuffer.allocate(1), backup.volumeSizeBytes() - 1);
      }
      channel.force(true);
      return sink.damaged();
    }
  }

  private static void deletePartial(Path partial) throws StorageException {
    try {
      Files.deleteIfExists(partial);
    } catch (IOException e) {
      throw StorageException.io("file " + partial + ": could not delete", e);
    }
  }

  /** Writes blocks to their places; holes stay holes. */
  private static final class FileSink implements BlockSink {
    private final Path path;
    private final FileChannel channel;
    private final BackupName backup;
    private final boolean zeroDamaged;
    private final Queue<DamagedBlock> damaged = new ConcurrentLinkedQueue<>();

    FileSink(Path path, FileChannel channel, BackupName backup, boolean zeroDamaged) {
      this.path = path;
      this.channel = channel;
      this.backup = backup;
      this.zeroDamaged = zeroDamaged;
    }

    List<DamagedBlock> damaged() {
      return damaged.stream().sorted(Comparator.comparingLong(DamagedBlock::offset)).toList();
    }

    @Override
    public void block(long offset, ByteBuffer bytes) throws StorageException {
      try {
        long position = offset;
        while (bytes.hasRemaining()) {
          position += channel.write(bytes, position);
        }
      } catch (IOException e) {
        throw StorageException.io("file " + path, e);
      }
    }

    @Override
    public void damaged(DamagedBlock block) throws StorageException {
      if (!zeroDamaged) {
        throw new StorageException(ErrorCode.IO, "backup " + backup + ": damaged block: " + block);
      }
      damaged.add(block);
    }
  }
}
