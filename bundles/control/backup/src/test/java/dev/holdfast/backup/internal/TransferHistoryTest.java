package dev.holdfast.backup.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.backupstore.BackupSource;
import dev.holdfast.backupstore.BackupSummary;
import dev.holdfast.backuptarget.ForwardingObjectStore;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.PutOptions;
import dev.holdfast.backuptarget.StoredObject;
import dev.holdfast.controller.testkit.Histories;
import dev.holdfast.datapath.SnapshotReader;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Histories of backup writes, and planted defects that must be found. */
class TransferHistoryTest {
  private static void play(
      long seed, Function<SnapshotReader, BackupSource> source, UnaryOperator<ObjectStore> store)
      throws StorageException {
    new TransferHistory(seed, source, store).play();
  }

  private static void play(long seed) throws StorageException {
    play(seed, SnapshotBackupSource::new, opened -> opened);
  }

  @Test
  void completeBackupHasTheBytesOfItsSnapshotWhateverHappens() throws Exception {
    Histories.play(200, TransferHistoryTest::play);
  }

  @Test
  @Tag("soak")
  void completeBackupHasTheBytesOfItsSnapshotInManyHistories() throws Exception {
    Histories.play(10_000, TransferHistoryTest::play);
  }

  /** Treats any snapshot of the name as the one that was backed up. */
  private record TrustsNames(SnapshotReader reader, SnapshotBackupSource source)
      implements BackupSource {
    TrustsNames(SnapshotReader reader) {
      this(reader, new SnapshotBackupSource(reader));
    }

    @Override
    public Optional<String> refusesBase(BackupSummary last) throws StorageException {
      return reader.ancestor(last.snapshot()).isPresent()
          ? Optional.empty()
          : Optional.of("it is gone");
    }

    @Override
    public long sizeBytes() {
      return source.sizeBytes();
    }

    @Override
    public void changedSince(BackupSummary last, RangeVisitor visitor) throws StorageException {
      source.changedSince(last, visitor);
    }

    @Override
    public void allocated(RangeVisitor visitor) throws StorageException {
      source.allocated(visitor);
    }

    @Override
    public void aboveImage(RangeVisitor visitor) throws StorageException {
      source.aboveImage(visitor);
    }

    @Override
    public void read(long offset, ByteBuffer target) throws StorageException {
      source.read(offset, target);
    }
  }

  @Test
  void findsTrustByName() throws Exception {
    assertThat(Histories.firstFailure(200, seed -> play(seed, TrustsNames::new, store -> store)))
        .hasMessageContaining("has wrong bytes in blocks");
  }

  /** Acknowledges a configuration of a backup before it is stored, and may lose it. */
  private static final class AnswersEarly extends ForwardingObjectStore {
    private final Map<String, byte[]> kept = new HashMap<>();

    AnswersEarly(ObjectStore next) {
      super(next);
    }

    private static boolean isManifest(String key) {
      return key.contains("/backups/");
    }

    private StoredObject object(String key) {
      return new StoredObject(key, kept.get(key).length, "tag", Instant.EPOCH);
    }

    @Override
    public StoredObject put(String key, List<ByteBuffer> content, PutOptions options)
        throws StorageException {
      if (!isManifest(key)) {
        return super.put(key, content, options);
      }
      int size = content.stream().mapToInt(ByteBuffer::remaining).sum();
      ByteBuffer all = ByteBuffer.allocate(size);
      content.forEach(part -> all.put(part.duplicate()));
      kept.put(key, all.array());
      return object(key);
    }

    @Override
    public void get(String key, long offset, ByteBuffer target) throws StorageException {
      if (kept.containsKey(key)) {
        target.put(kept.get(key), (int) offset, target.remaining());
      } else {
        super.get(key, offset, target);
      }
    }

    @Override
    public Optional<StoredObject> stat(String key) throws StorageException {
      return kept.containsKey(key) ? Optional.of(object(key)) : super.stat(key);
    }
  }

  @Test
  void findsCompletionBeforeTheManifestIsStored() throws Exception {
    assertThat(
            Histories.firstFailure(
                20, seed -> play(seed, SnapshotBackupSource::new, AnswersEarly::new)))
        .hasMessageContaining("is complete and cannot be read");
  }
}
