package dev.holdfast.backupstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.backupstore.layout.BackupLayout;
import dev.holdfast.backupstore.layout.LaidOutBackups;
import dev.holdfast.backuptarget.ForwardingObjectStore;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.PutOptions;
import dev.holdfast.backuptarget.StoredObject;
import dev.holdfast.backuptarget.testkit.MemoryObjectStore;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Two clusters begin the backups of one volume in different layouts at the same time. */
class TwoLayoutsTest {
  private static final String VOLUME = "vol1";

  private final TestTime time = new TestTime();
  private final MemoryObjectStore store = new MemoryObjectStore(time);
  private final ByteSource source = new ByteSource("uid-1", bytes(), Optional.empty());

  private static byte[] bytes() {
    byte[] bytes = new byte[4 << 20];
    new Random(1).nextBytes(bytes);
    return bytes;
  }

  private void write(ObjectStore target, BackupLayout layout, String backup)
      throws StorageException {
    var unused =
        new LaidOutBackups(target, time)
            .write(
                source.request(VOLUME, backup),
                layout,
                source,
                1,
                LonghornBackupWriter.Progress.NONE);
  }

  /** Runs a call of another cluster before the first put of a key with an end. */
  private ObjectStore before(String end, Call call) {
    return new ForwardingObjectStore(store) {
      private boolean done;

      @Override
      public StoredObject put(String key, List<ByteBuffer> content, PutOptions options)
          throws StorageException {
        if (key.endsWith(end) && !done) {
          done = true;
          call.run();
        }
        return super.put(key, content, options);
      }
    };
  }

  /** A call that may fail. */
  private interface Call {
    void run() throws StorageException;
  }

  private static void refused(Call call, String layout) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT))
        .hasMessageContainingAll("began its first backup at the target in the " + layout);
  }

  private void assertBothAreRestored() throws Exception {
    assertThat(new LaidOutBackups(store).backupNames(VOLUME)).hasSize(2);
    for (String backup : List.of("backup-1", "backup-2")) {
      assertThat(Restored.bytes(store, new BackupName(VOLUME, backup))).isEqualTo(source.content);
    }
  }

  @Test
  void packedWriterThatIsLateGivesWayAndContinuesInTheOtherLayout() throws Exception {
    ObjectStore late = before("format.json", () -> write(store, BackupLayout.LONGHORN, "backup-1"));
    refused(() -> write(late, BackupLayout.PACKED, "backup-2"), "layout of Longhorn");
    write(store, BackupLayout.PACKED, "backup-2");
    assertBothAreRestored();
  }

  @Test
  void longhornWriterThatIsLateGivesWayAndContinuesInTheOtherLayout() throws Exception {
    ObjectStore late = before("volume.cfg", () -> write(store, BackupLayout.PACKED, "backup-1"));
    refused(() -> write(late, BackupLayout.LONGHORN, "backup-2"), "packed layout");
    write(store, BackupLayout.LONGHORN, "backup-2");
    assertBothAreRestored();
  }
}
