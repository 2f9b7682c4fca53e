package dev.holdfast.backupstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.backuptarget.ForwardingObjectStore;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.PutOptions;
import dev.holdfast.backuptarget.StoredObject;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** A process that is killed between any two objects leaves a target that is right. */
class BackupKillsTest {
  private static final int KILLS = Boolean.getBoolean("holdfast.soak") ? 1_000 : 40;
  private static final int EVER = Integer.MAX_VALUE;

  /** Wraps the target of the process that is killed, to plant a fault in it. */
  private interface Plant {
    ObjectStore around(ObjectStore target, KilledTarget world);
  }

  @Test
  void killedWriterLeavesAConsistentTarget() throws Exception {
    writerHistories(KILLS, (target, world) -> target);
  }

  private static void writerHistories(int kills, Plant plant) throws StorageException {
    Random random = new Random(1);
    for (int i = 0; i < kills; i++) {
      writerHistory(i, random, plant);
    }
  }

  private static void writerHistory(int seed, Random random, Plant plant) throws StorageException {
    KilledTarget world = new KilledTarget(seed);
    boolean incremental = random.nextBoolean();
    if (incremental) {
      world.snapshot("backup-1", Optional.empty());
      world.killedAfter(EVER, world.write("backup-1"));
    }
    world.snapshot("backup-2", incremental ? Optional.of("backup-1") : Optional.empty());
    KilledTarget.Work write = target -> world.write("backup-2").run(plant.around(target, world));
    int border = random.nextInt(20);
    world.killedAfter(border, write);
    String when = "seed " + seed + ", killed after " + border + " calls";
    world.assertRight(when);

    world.waitForLeases();
    world.killedAfter(EVER, world.write("backup-2"));
    world.assertRight(when + ", written again");
    StoredVolume volume = new LonghornBackups(world.store).volume(KilledTarget.VOLUME);
    assertThat(volume.lastBackup()).as(when).isEqualTo("backup-2");

    world.snapshot("backup-3", Optional.of("backup-2"));
    world.killedAfter(EVER, world.write("backup-3"));
    world.killedAfter(EVER, world.remove("backup-2"));
    world.assertRight(when + ", and backup-2 removed");
    world.assertWithoutRemains(when);
  }

  @Test
  void killedRemovalLeavesAConsistentTarget() throws Exception {
    Random random = new Random(2);
    for (int i = 0; i < KILLS; i++) {
      KilledTarget world = threeBackups(i);
      String removed = "backup-" + (1 + random.nextInt(3));
      int border = random.nextInt(20);
      world.killedAfter(border, world.remove(removed));
      String when = "seed " + i + ", removal of " + removed + " killed after " + border;
      world.assertRight(when);
      world.waitForLeases();
      world.killedAfter(EVER, world.remove(removed));
      world.assertRight(when + ", removed again");
      world.assertWithoutRemains(when);
      assertThat(new LonghornBackups(world.store).backupNames(KilledTarget.VOLUME))
          .as(when)
          .hasSize(2)
          .doesNotContain(KilledTarget.name(removed));
    }
  }

  static KilledTarget threeBackups(long seed) {
    KilledTarget world = new KilledTarget(seed);
    Optional<String> base = Optional.empty();
    for (int i = 1; i <= 3; i++) {
      world.snapshot("backup-" + i, base);
      world.killedAfter(EVER, world.write("backup-" + i));
      base = Optional.of("backup-" + i);
    }
    return world;
  }

  @Test
  void suiteCatchesAWriterThatCompletesTheBackupBeforeItsBlocks() {
    assertThatThrownBy(() -> writerHistories(40, ManifestFirst::new))
        .hasMessageContaining("is missing");
  }

  /** Puts the configuration of the complete backup where the writer announces it. */
  private static final class ManifestFirst extends ForwardingObjectStore {
    private final KilledTarget world;

    ManifestFirst(ObjectStore next, KilledTarget world) {
      super(next);
      this.world = world;
    }

    @Override
    public StoredObject put(String key, List<ByteBuffer> content, PutOptions options)
        throws StorageException {
      if (key.equals(LonghornKeys.backupConfig(KilledTarget.name("backup-2")))) {
        KilledTarget scratch = new KilledTarget(0);
        scratch.sources.putAll(world.sources);
        scratch.killedAfter(EVER, scratch.write("backup-2"));
        return super.put(
            key, List.of(ByteBuffer.wrap(LonghornFixture.get(scratch.store, key))), options);
      }
      return super.put(key, content, options);
    }
  }
}
