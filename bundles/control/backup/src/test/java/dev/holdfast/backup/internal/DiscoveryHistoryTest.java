package dev.holdfast.backup.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.backupstore.BackupSummary;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.controller.testkit.Histories;
import dev.holdfast.error.StorageException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Histories of scans with crashes, lost writes and failing targets, and planted defects that must
 * be found.
 */
class DiscoveryHistoryTest {
  private static void play(long seed, Supplier<VolumeScanner> scanner) throws StorageException {
    new DiscoveryHistory(seed, scanner).play();
  }

  @Test
  void listBecomesThatOfTheTargetWhateverHappens() throws Exception {
    Histories.play(60, seed -> play(seed, VolumeScanner::new));
  }

  @Test
  @Tag("soak")
  void listBecomesThatOfTheTargetInManyHistories() throws Exception {
    Histories.play(10_000, seed -> play(seed, VolumeScanner::new));
  }

  /** Treats an object that a list omits as absent. */
  private static final class TrustsLists extends VolumeScanner {
    @Override
    ScannedVolume scan(ObjectStore store, ScannedVolume.Order order) throws StorageException {
      ScannedVolume scan = super.scan(store, order);
      Set<String> vanished = new TreeSet<>(order.expected().keySet());
      for (BackupSummary backup : scan.backups()) {
        vanished.remove(backup.name().backup());
      }
      return new ScannedVolume(
          order, scan.present(), scan.volume(), scan.backups(), vanished, scan.problems());
    }
  }

  @Test
  void findsAScanThatTrustsPartialLists() throws Exception {
    assertThat(Histories.firstFailure(50, seed -> play(seed, TrustsLists::new)))
        .hasMessageContaining("is hidden, and the target has it");
  }

  /** Treats an unreachable target as an empty one. */
  private static final class TakesFailuresForEmptiness extends VolumeScanner {
    @Override
    ScannedVolume scan(ObjectStore store, ScannedVolume.Order order) throws StorageException {
      try {
        return super.scan(store, order);
      } catch (StorageException e) {
        return new ScannedVolume(
            order, false, Optional.empty(), List.of(), order.expected().keySet(), List.of());
      }
    }
  }

  @Test
  void findsAScanThatTakesAFailureForAnEmptyTarget() throws Exception {
    assertThat(Histories.firstFailure(50, seed -> play(seed, TakesFailuresForEmptiness::new)))
        .hasMessageContaining("is hidden, and the target has it");
  }

  /** Forgets which backups the store had when the scan began. */
  private static final class Forgetful extends VolumeScanner {
    @Override
    ScannedVolume scan(ObjectStore store, ScannedVolume.Order order) throws StorageException {
      ScannedVolume scan = super.scan(store, order);
      ScannedVolume.Order other =
          new ScannedVolume.Order(order.volume(), order.scan(), Set.of(), order.expected());
      return new ScannedVolume(
          other, scan.present(), scan.volume(), scan.backups(), scan.vanished(), scan.problems());
    }
  }

  @Test
  void findsAScanThatShowsWhatWasDeletedWhileItRan() throws Exception {
    assertThat(Histories.firstFailure(60, seed -> play(seed, Forgetful::new)))
        .hasMessageContaining("was deleted by this cluster");
  }
}
