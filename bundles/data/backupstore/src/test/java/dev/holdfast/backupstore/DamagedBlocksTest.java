package dev.holdfast.backupstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.backuptarget.testkit.FaultyObjectStore;
import dev.holdfast.backuptarget.testkit.MemoryObjectStore;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each fault of an object is found and named, and no wrong byte is passed on. */
class DamagedBlocksTest {
  private static final int FAULTS = Boolean.getBoolean("holdfast.soak") ? 10_000 : 500;
  private static final int BLOCK = 2 << 20;

  @TempDir Path folder;
  private MemoryObjectStore store;
  private StoredBackup backup;

  @BeforeEach
  void unpack() throws Exception {
    store = LonghornFixture.store(folder);
    backup = new LonghornBackups(store).backup(LonghornFixture.SNAP2);
  }

  /** Keeps what it receives. */
  private static class Recorder implements BlockSink {
    private final Queue<DamagedBlock> damaged = new ConcurrentLinkedQueue<>();
    private final AtomicInteger good = new AtomicInteger();

    @Override
    public void block(long offset, ByteBuffer bytes) {
      good.incrementAndGet();
    }

    @Override
    public void damaged(DamagedBlock block) {
      damaged.add(block);
    }
  }

  private Recorder readAll() throws StorageException {
    Recorder recorder = new Recorder();
    new BackupReading(store, 2).all(backup, recorder);
    return recorder;
  }

  @Test
  void intactBackupHasNoDamagedBlock() throws Exception {
    assertThat(readAll().damaged).isEmpty();
    assertThat(readAll().good).hasValue(backup.blockCount());
  }

  @Test
  void everyFaultOfAnObjectIsFoundAndNamed() throws Exception {
    Random random = new Random(20_261_124);
    BlockReader reader = new BlockReader(store, backup);
    for (int i = 0; i < FAULTS; i++) {
      int index = random.nextInt(backup.blockCount());
      String key = LonghornKeys.block("vol1", backup.blocks().checksum(index));
      byte[] original = LonghornFixture.get(store, key);
      String fault = inject(random, key, original, index);
      Recorder recorder = new Recorder();
      reader.read(index, recorder);

      assertThat(recorder.good).as("blocks that passed after: %s", fault).hasValue(0);
      assertThat(recorder.damaged)
          .singleElement()
          .satisfies(
              block -> {
                assertThat(block.key()).isEqualTo(key);
                assertThat(block.offset()).isEqualTo(backup.blocks().offset(index));
                assertThat(block.length()).isEqualTo(BLOCK);
                assertThat(block.reason()).as("reason after: %s", fault).isNotBlank();
              });
      LonghornFixture.put(store, key, original);
    }
  }

  /** Damages an object so that its content differs from the block. */
  private String inject(Random random, String key, byte[] original, int index)
      throws StorageException {
    int kind = random.nextInt(6);
    switch (kind) {
      case 0 -> store.delete(List.of(key));
      case 1 -> LonghornFixture.put(store, key, new byte[0]);
      case 2 ->
          LonghornFixture.put(
              store, key, Arrays.copyOf(original, random.nextInt(original.length - 4)));
      case 3 -> LonghornFixture.put(store, key, flipped(random, original));
      case 4 -> LonghornFixture.put(store, key, another(index));
      default -> LonghornFixture.put(store, key, Arrays.copyOf(original, 5 << 20));
    }
    return "fault " + kind + " of the block " + index;
  }

  /** Flips a bit whose change the frame or the checksum must show: not one of a reserved field. */
  private static byte[] flipped(Random random, byte[] original) {
    byte[] changed = original.clone();
    changed[random.nextInt(changed.length)] ^= (byte) (1 << random.nextInt(8));
    return changed;
  }

  private byte[] another(int index) throws StorageException {
    String own = backup.blocks().checksum(index);
    int other =
        IntStream.range(0, backup.blockCount())
            .filter(i -> !backup.blocks().checksum(i).equals(own))
            .findFirst()
            .orElseThrow();
    return LonghornFixture.get(store, LonghornKeys.block("vol1", backup.blocks().checksum(other)));
  }

  @Test
  void unreachableTargetIsNotADamagedBlock() {
    FaultyObjectStore failing =
        new FaultyObjectStore(
            store,
            (call, key) -> {
              if (call == FaultyObjectStore.Call.GET) {
                throw new StorageException(ErrorCode.UNREACHABLE, "connection reset");
              }
            });
    Recorder recorder = new Recorder();

    assertThatThrownBy(() -> new BackupReading(failing, 2).all(backup, recorder))
        .hasMessageContaining("connection reset");
    assertThat(recorder.damaged).isEmpty();
  }
}
