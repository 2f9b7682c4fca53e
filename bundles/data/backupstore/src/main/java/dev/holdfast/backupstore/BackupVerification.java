package dev.holdfast.backupstore;

import dev.holdfast.backupstore.internal.BlockList;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

/**
 * Compares the blocks of backups with their checksums. A block that several backups of a volume
 * share is read once if they are verified one after the other; each of them names it when it is
 * damaged. Takes about 90 bytes of memory for each block of a volume. Not thread-safe.
 */
public final class BackupVerification {
  private final BackupReading reading;

  /** Blocks of the volume that were read. */
  private final Set<BlockList.Hash> read = new HashSet<>();

  /** The reasons of those that are damaged. */
  private final Map<BlockList.Hash, String> damaged = new ConcurrentHashMap<>();

  private Optional<Form> form = Optional.empty();

  /** Properties of a backup by which the bytes of a block are checked. */
  private record Form(String volume, int blockSize, Compression compression) {}

  /**
   * Creates a verification.
   *
   * @param store the target, which the caller closes, not null
   * @param threads how many blocks are read at a time, positive
   */
  public BackupVerification(ObjectStore store, int threads) {
    this.reading = new BackupReading(store, threads);
  }

  /**
   * Compares all blocks of a backup.
   *
   * @param backup to verify, not null
   * @throws StorageException UNREACHABLE, TIMEOUT, FORBIDDEN of the target, which do not concern
   *     single blocks
   */
  public VerifiedBackup verify(StoredBackup backup) throws StorageException {
    return verify(backup, IntStream.range(0, backup.blockCount()).toArray());
  }

  /**
   * Compares some blocks of a backup, which are spread over it, and others at each call.
   *
   * @param backup to verify, not null
   * @param percent how many of its blocks, from 1 to 100; one block at least
   * @param random chooses, not null
   * @throws StorageException as {@link #verify}
   */
  public VerifiedBackup sample(StoredBackup backup, int percent, RandomGenerator random)
      throws StorageException {
    int blocks = backup.blockCount();
    int count = (int) Math.min(blocks, ((long) blocks * percent + 99) / 100);
    int[] indexes =
        IntStream.range(0, count)
            .map(
                i -> {
                  int from = (int) ((long) i * blocks / count);
                  int to = (int) ((i + 1L) * blocks / count);
                  return random.nextInt(from, to);
                })
            .toArray();
    return verify(backup, indexes);
  }

  private VerifiedBackup verify(StoredBackup backup, int[] indexes) throws StorageException {
    BackupSummary summary = backup.summary();
    Form next = new Form(summary.name().volume(), summary.blockSize(), summary.compression());
    if (!form.equals(Optional.of(next))) {
      forget();
      form = Optional.of(next);
    }
    int[] unread = IntStream.of(indexes).filter(i -> read.add(place(backup, i))).toArray();
    boolean complete = false;
    try {
      reading.some(backup, unread, new DamageSink(backup));
      complete = true;
    } finally {
      if (!complete) {
        // Some of them were not read.
        forget();
      }
    }
    return new VerifiedBackup(
        summary.name(), backup.blockCount(), indexes.length, damagedOf(backup, indexes));
  }

  /** Tells blocks at different places apart, also those with the same bytes. */
  private static BlockList.Hash place(StoredBackup backup, int index) {
    BlockList.Hash hash = backup.blocks().hash(index);
    long first = hash.first() ^ backup.places().mark(index);
    return new BlockList.Hash(first, hash.second(), hash.third(), hash.fourth());
  }

  private void forget() {
    read.clear();
    damaged.clear();
  }

  private List<DamagedBlock> damagedOf(StoredBackup backup, int[] indexes) {
    List<DamagedBlock> found = new ArrayList<>();
    if (damaged.isEmpty()) {
      return found;
    }
    for (int index : indexes) {
      String reason = damaged.get(place(backup, index));
      if (reason != null) {
        long offset = backup.blocks().offset(index);
        String key = backup.places().key(index);
        found.add(new DamagedBlock(offset, backup.lengthAt(offset), key, reason));
      }
    }
    return found;
  }

  /** Keeps the reasons of damaged blocks. */
  private final class DamageSink implements BlockSink {
    private final StoredBackup backup;

    DamageSink(StoredBackup backup) {
      this.backup = backup;
    }

    @Override
    public void block(long offset, ByteBuffer bytes) {
      // Its checksum is right.
    }

    @Override
    public void damaged(DamagedBlock block) {
      int size = backup.summary().blockSize();
      int index = backup.blocks().firstEndingBehind(block.offset(), size);
      damaged.put(place(backup, index), block.reason());
    }
  }
}
