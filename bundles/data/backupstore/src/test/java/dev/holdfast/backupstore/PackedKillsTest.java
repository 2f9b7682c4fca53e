package dev.holdfast.backupstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.backupstore.layout.BackupLayout;
import dev.holdfast.backuptarget.ForwardingObjectStore;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.PutOptions;
import dev.holdfast.backuptarget.StoredObject;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** A process that is killed between any two objects of the packed layout leaves a right target. */
class PackedKillsTest {
  private static final int KILLS = Boolean.getBoolean("holdfast.soak") ? 1_000 : 30;
  private static final int EVER = Integer.MAX_VALUE;

  /** Longer than any of the works here, in calls. */
  private static final int CALLS = 40;

  private static Set<String> parts(KilledTarget world) throws StorageException {
    Set<String> keys = new HashSet<>();
    world.store.list(
        "holdfast/v1/volumes/",
        "",
        object -> {
          if (object.key().contains("/packs/") || object.key().contains("/maps/")) {
            keys.add(object.key());
          }
        });
    return keys;
  }

  @Test
  void killedWriterLeavesAConsistentTarget() throws Exception {
    writerHistories(KILLS, target -> target);
  }

  private static void writerHistories(int kills, UnaryOperator<ObjectStore> plant)
      throws StorageException {
    Random random = new Random(1);
    for (int i = 0; i < kills; i++) {
      KilledTarget world = new KilledTarget(i, BackupLayout.PACKED);
      boolean incremental = random.nextBoolean();
      if (incremental) {
        world.snapshot("backup-1", Optional.empty());
        world.killedAfter(EVER, world.write("backup-1"));
      }
      world.snapshot("backup-2", incremental ? Optional.of("backup-1") : Optional.empty());
      int border = i % CALLS;
      KilledTarget.Work write = target -> world.write("backup-2").run(plant.apply(target));
      world.killedAfter(border, write);
      String when = "seed " + i + ", killed after " + border + " calls";
      world.assertRight(when);

      world.waitForLeases();
      world.killedAfter(EVER, world.write("backup-2"));
      world.assertRight(when + ", written again");
      assertThat(world.backups().volume(KilledTarget.VOLUME).lastBackup())
          .as(when)
          .isEqualTo("backup-2");

      world.snapshot("backup-3", Optional.of("backup-2"));
      world.killedAfter(EVER, world.write("backup-3"));
      world.killedAfter(EVER, world.remove("backup-2"));
      world.assertRight(when + ", and backup-2 removed");
      removeAll(world, when);
    }
  }

  /** After the last deletion nothing is left that a kill could have left. */
  private static void removeAll(KilledTarget world, String when) throws StorageException {
    for (BackupName name : world.backups().backupNames(KilledTarget.VOLUME)) {
      world.killedAfter(EVER, world.remove(name.backup()));
      world.assertRight(when + ", and " + name + " removed");
    }
    world.waitForTrash();
    world.killedAfter(EVER, world.collect());
    assertThat(parts(world)).as("packs and maps, " + when).isEmpty();
  }

  @Test
  void killedRemovalLeavesAConsistentTarget() throws Exception {
    Random random = new Random(2);
    for (int i = 0; i < KILLS; i++) {
      KilledTarget world = new KilledTarget(i, BackupLayout.PACKED);
      Optional<String> base = Optional.empty();
      for (int n = 1; n <= 3; n++) {
        world.snapshot("backup-" + n, base);
        world.killedAfter(EVER, world.write("backup-" + n));
        base = Optional.of("backup-" + n);
      }
      String removed = "backup-" + (1 + random.nextInt(3));
      int border = i % CALLS;
      world.killedAfter(border, world.remove(removed));
      String when = "seed " + i + ", removal of " + removed + " killed after " + border;
      world.assertRight(when);
      world.waitForLeases();
      world.killedAfter(EVER, world.remove(removed));
      world.assertRight(when + ", removed again");
      assertThat(world.backups().backupNames(KilledTarget.VOLUME))
          .as(when)
          .hasSize(2)
          .doesNotContain(KilledTarget.name(removed));
      removeAll(world, when);
    }
  }

  @Test
  void suiteCatchesAWriterThatCompletesTheBackupBeforeItsPacks() {
    assertThatThrownBy(() -> writerHistories(KILLS, PacksLast::new))
        .isInstanceOf(DamagedBlockException.class);
  }

  /** Sends a pack only after the manifest that needs it. */
  private static final class PacksLast extends ForwardingObjectStore {
    private String key = "";
    private ByteBuffer kept = ByteBuffer.allocate(0);

    PacksLast(ObjectStore next) {
      super(next);
    }

    @Override
    public StoredObject put(String putKey, List<ByteBuffer> content, PutOptions options)
        throws StorageException {
      if (putKey.endsWith(".pack")) {
        int size = content.stream().mapToInt(ByteBuffer::remaining).sum();
        kept = ByteBuffer.allocate(size);
        content.forEach(part -> kept.put(part.duplicate()));
        kept.flip();
        key = putKey;
        return new StoredObject(putKey, size, "", Instant.EPOCH);
      }
      StoredObject stored = super.put(putKey, content, options);
      if (putKey.contains("/backups/") && !key.isEmpty()) {
        super.put(key, List.of(kept), PutOptions.REPLACE);
      }
      return stored;
    }
  }
}
