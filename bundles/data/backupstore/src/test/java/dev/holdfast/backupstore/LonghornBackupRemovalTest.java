package dev.holdfast.backupstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.backupstore.internal.BlockList;
import dev.holdfast.backuptarget.ForwardingObjectStore;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.ObjectVisitor;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A deletion removes what no backup needs, and nothing on a list that is not whole. */
class LonghornBackupRemovalTest {
  private static final int SEEDS = Boolean.getBoolean("holdfast.soak") ? 1_000 : 12;
  private static final String CONFIGS = LonghornKeys.backupsFolder(KilledTarget.VOLUME);

  /** A way to delete a backup. */
  private interface Removal {
    void remove(ObjectStore target, String backup) throws StorageException;
  }

  /** Loses entries of lists; a failing list fails, as the target's answers do. */
  private static final class LosingStore extends ForwardingObjectStore {
    private final Random random;
    private final boolean fails;

    LosingStore(ObjectStore next, long seed, boolean fails) {
      super(next);
      this.random = new Random(seed);
      this.fails = fails;
    }

    @Override
    public void list(String prefix, String after, ObjectVisitor visitor) throws StorageException {
      boolean lock = prefix.equals(LonghornKeys.locksFolder(KilledTarget.VOLUME));
      boolean faulty = !lock && random.nextInt(3) == 0;
      if (faulty && fails) {
        throw new StorageException(ErrorCode.TIMEOUT, "the list failed");
      }
      super.list(
          prefix,
          after,
          object -> {
            if (!faulty || random.nextInt(3) > 0) {
              visitor.object(object);
            }
          });
    }
  }

  private static KilledTarget.Work using(KilledTarget world) {
    return target -> {
      for (String backup : List.of("backup-1", "backup-3")) {
        var unused =
            new LonghornBackupRemoval(target, world.time).remove(KilledTarget.name(backup));
      }
    };
  }

  @Test
  void removalDeletesTheBackupAndItsBlocks() throws Exception {
    KilledTarget world = BackupKillsTest.threeBackups(7);
    RemovedBackup removed =
        new LonghornBackupRemoval(world.store, world.time).remove(KilledTarget.name("backup-3"));

    assertThat(removed.kept()).isEmpty();
    assertThat(removed.blocks()).isPositive();
    world.assertRight("after the removal");
    world.assertWithoutRemains("after the removal");
    assertThat(new LonghornBackups(world.store).volume(KilledTarget.VOLUME).lastBackup())
        .isEqualTo("backup-2");
  }

  @Test
  void removalOfTheLastBackupRemovesAllBlocks() throws Exception {
    KilledTarget world = BackupKillsTest.threeBackups(7);
    using(world).run(world.store);
    world.remove("backup-2").run(world.store);

    assertThat(LonghornFixture.blocks(world.store)).isEmpty();
    assertThat(new LonghornBackups(world.store).volume(KilledTarget.VOLUME).lastBackup()).isEmpty();
  }

  @Test
  void absentBackupAndAbsentVolumeAreRemovedAlready() throws Exception {
    KilledTarget world = BackupKillsTest.threeBackups(7);
    LonghornBackupRemoval removal = new LonghornBackupRemoval(world.store, world.time);

    assertThat(removal.remove(KilledTarget.name("absent")).blocks()).isZero();
    assertThat(removal.remove(new BackupName("absent", "absent")).kept())
        .isEqualTo("the target does not have the volume");
    world.assertRight("after removals of nothing");
  }

  @Test
  void volumeIsRemovedWithAllItsObjects() throws Exception {
    KilledTarget world = BackupKillsTest.threeBackups(7);
    LonghornBackupRemoval removal = new LonghornBackupRemoval(world.store, world.time);
    removal.removeVolume(KilledTarget.VOLUME);

    List<String> left = new ArrayList<>();
    world.store.list("", "", object -> left.add(object.key()));
    assertThat(left).isEmpty();
    removal.removeVolume(KilledTarget.VOLUME);
  }

  @Test
  void killedRemovalOfAVolumeIsRepeatedAndShowsNoBackupWithoutBlocks() throws Exception {
    int calls = Integer.MAX_VALUE;
    for (int killed = 0; killed < calls; killed++) {
      KilledTarget world = BackupKillsTest.threeBackups(7);
      KilledTarget.Work removal =
          target -> new LonghornBackupRemoval(target, world.time).removeVolume(KilledTarget.VOLUME);
      int made = world.killedAfter(killed, removal);
      world.assertRight("killed after " + killed + " calls");
      world.waitForLeases();
      removal.run(world.store);
      assertThat(new LonghornBackups(world.store).volumes()).isEmpty();
      assertThat(LonghornFixture.blocks(world.store)).isEmpty();
      calls = made <= killed ? 0 : calls;
    }
  }

  @Test
  void failedListRemovesNoNeededBlock() throws Exception {
    survives(true, LonghornBackupRemovalTest::removeAsShipped);
  }

  @Test
  void partialListRemovesNoNeededBlock() throws Exception {
    survives(false, LonghornBackupRemovalTest::removeAsShipped);
  }

  private static void removeAsShipped(ObjectStore target, String backup) throws StorageException {
    var unused =
        new LonghornBackupRemoval(target, new TestTime()).remove(KilledTarget.name(backup));
  }

  @Test
  void suiteCatchesARemovalThatTakesAFailedListForAnEmptyOne() {
    assertThatThrownBy(() -> survives(true, LonghornBackupRemovalTest::removeCarelessly))
        .hasMessageContaining("is missing");
  }

  private static void survives(boolean fails, Removal removal) throws StorageException {
    for (int seed = 0; seed < SEEDS; seed++) {
      KilledTarget world = BackupKillsTest.threeBackups(seed % 4);
      ObjectStore losing = new LosingStore(world.store, seed, fails);
      for (int i = 1; i < 3; i++) {
        try {
          removal.remove(losing, "backup-" + i);
        } catch (StorageException e) {
          assertThat(e.code()).isIn(ErrorCode.TIMEOUT, ErrorCode.BUSY);
        }
        world.assertRight("seed " + seed);
      }
    }
  }

  /** Deletes as a program that ignores failures of lists. */
  private static void removeCarelessly(ObjectStore target, String backup) throws StorageException {
    target.delete(List.of(LonghornKeys.backupConfig(KilledTarget.name(backup))));
    Set<String> unused = new HashSet<>(listed(target, LonghornKeys.blocks("vol1").folder()));
    for (String config : listed(target, CONFIGS)) {
      String name = config.substring((CONFIGS + "backup_").length(), config.length() - 4);
      BlockList blocks = new LonghornBackups(target).backup(KilledTarget.name(name)).blocks();
      for (int i = 0; i < blocks.size(); i++) {
        unused.remove(LonghornKeys.block("vol1", blocks.checksum(i)));
      }
    }
    target.delete(unused);
  }

  private static List<String> listed(ObjectStore target, String prefix) {
    List<String> keys = new ArrayList<>();
    try {
      target.list(prefix, "", object -> keys.add(object.key()));
    } catch (StorageException e) {
      // This is the fault: the list stays as it is.
    }
    return keys;
  }

  @Test
  void unreadableBackupKeepsAllBlocks() throws Exception {
    KilledTarget world = BackupKillsTest.threeBackups(7);
    LonghornFixture.put(world.store, LonghornKeys.backupConfig(KilledTarget.name("backup-2")), "{");
    int blocks = LonghornFixture.blocks(world.store).size();
    RemovedBackup removed =
        new LonghornBackupRemoval(world.store, world.time).remove(KilledTarget.name("backup-1"));

    assertThat(removed.kept()).contains("backup-2").contains("blocks are kept");
    assertThat(LonghornFixture.blocks(world.store)).hasSize(blocks);
  }

  @Test
  void backupOfALivingWriterKeepsAllBlocksAndThatOfADeadOneIsRemoved() throws Exception {
    KilledTarget world = BackupKillsTest.threeBackups(7);
    world.snapshot("backup-4", Optional.of("backup-3"));
    world.killedAfter(10, world.write("backup-4"));
    assertThatThrownBy(() -> world.remove("backup-1").run(world.store))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BUSY))
        .hasMessageContaining("excludes this operation");

    world.waitForLeases();
    world.remove("backup-1").run(world.store);
    world.assertRight("after the writer's lease");
    world.assertWithoutRemains("after the writer's lease");
    assertThat(new LonghornBackups(world.store).backupNames(KilledTarget.VOLUME)).hasSize(2);
  }
}
