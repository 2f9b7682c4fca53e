package dev.holdfast.recurring.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.controller.testkit.Histories;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.BackupState;
import dev.holdfast.resource.snapshot.Snapshot;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Histories with crashes, lost writes and changed clocks, and planted defects that must be found.
 */
class JobHistoryTest {
  private static void play(long seed, Supplier<JobDecider> decider) throws StorageException {
    new JobHistory(seed, decider).play();
  }

  @Test
  void eachRunIsMadeOnceWhateverHappens() throws Exception {
    Histories.play(200, seed -> play(seed, JobDecider::new));
  }

  @Test
  @Tag("soak")
  void eachRunIsMadeOnceInManyHistories() throws Exception {
    Histories.play(10_000, seed -> play(seed, JobDecider::new));
  }

  /** Uses random names for objects instead of names derived from the run. */
  private static final class ByChance extends JobDecider {
    @Override
    JobPlan next(JobView view) {
      JobPlan plan = super.next(view);
      List<Backup> backups =
          plan.newBackups().stream()
              .map(
                  backup ->
                      backup.withMetadata(backup.metadata().withName("b-" + UUID.randomUUID())))
              .toList();
      return new JobPlan(
          plan.newSnapshots(),
          backups,
          plan.changedSnapshots(),
          plan.changedBackups(),
          plan.changedVolumes(),
          plan.changedShares(),
          plan.oldBackups(),
          plan.oldSnapshots(),
          plan.status(),
          plan.missed());
    }
  }

  @Test
  void findsNamesThatDoNotFollowFromTheRun() throws Exception {
    assertThat(Histories.firstFailure(100, seed -> play(seed, ByChance::new)))
        .hasMessageContaining("made twice");
  }

  /** Removes volumes from the list before their objects are created. */
  private static final class Forgetful extends JobDecider {
    private Optional<JobPlan> later = Optional.empty();

    @Override
    JobPlan next(JobView view) {
      JobPlan plan = super.next(view);
      List<Snapshot> snapshots = new ArrayList<>(plan.newSnapshots());
      List<Backup> backups = new ArrayList<>(plan.newBackups());
      if (later.isEmpty() && !(snapshots.isEmpty() && backups.isEmpty())) {
        later = Optional.of(plan);
        return JobPlan.of(plan.status(), plan.missed());
      }
      later.ifPresent(
          earlier -> {
            snapshots.addAll(earlier.newSnapshots());
            backups.addAll(earlier.newBackups());
          });
      later = Optional.empty();
      return new JobPlan(
          snapshots,
          backups,
          plan.changedSnapshots(),
          plan.changedBackups(),
          plan.changedVolumes(),
          plan.changedShares(),
          plan.oldBackups(),
          plan.oldSnapshots(),
          plan.status(),
          plan.missed());
    }
  }

  @Test
  void findsVolumesThatAreForgottenInACrash() throws Exception {
    assertThat(Histories.firstFailure(100, seed -> play(seed, Forgetful::new)))
        .hasMessageContaining("without v");
  }

  /** Counts failed backups among those to keep. */
  private static final class CountsFailed extends JobDecider {
    @Override
    List<Backup> retainedBackups(JobView view) {
      List<Backup> old = new ArrayList<>();
      for (String volume : JobHistory.VOLUMES) {
        view.ownBackups().stream()
            .filter(backup -> backup.spec().volume().equals(volume) && backup.isFinal())
            .sorted(
                Comparator.comparingLong((Backup backup) -> RunNames.number(backup.metadata()))
                    .reversed())
            .skip(JobHistory.RETAIN)
            .filter(backup -> backup.status().state() == BackupState.COMPLETED)
            .forEach(old::add);
      }
      return old;
    }
  }

  @Test
  void findsFailedBackupsThatAreCounted() throws Exception {
    assertThat(Histories.firstFailure(100, seed -> play(seed, CountsFailed::new)))
        .hasMessageContaining("too few backups");
  }

  /** Uses a clock that was set back only once it has caught up. */
  private static final class Stubborn extends JobDecider {
    @Override
    DueRun due(JobView view) {
      DueRun due = super.due(view);
      Optional<Instant> handled = view.job().status().handledUntil();
      return handled.isPresent() && handled.get().isAfter(view.now())
          ? new DueRun(handled.get(), Optional.empty(), Optional.empty(), due.next())
          : due;
    }
  }

  @Test
  void findsAJobThatWaitsForAClockThatWasSetBack() throws Exception {
    assertThat(Histories.firstFailure(100, seed -> play(seed, Stubborn::new)))
        .hasMessageContaining("not reached");
  }
}
