package dev.holdfast.recurring.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.controller.testkit.StoreContext;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.backup.RecurringJob;
import dev.holdfast.resource.backup.RecurringJobSpec;
import dev.holdfast.resource.backup.SystemBackup;
import dev.holdfast.resource.backup.SystemBackupState;
import dev.holdfast.resource.backup.VolumeBackupPolicy;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import dev.holdfast.store.memory.FaultSchedule.Fault;
import dev.holdfast.store.memory.FaultyResourceStore;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A job that makes system backups. */
class SystemJobTest {
  private static final String JOB = "weekly";

  private final SetClock clock = new SetClock("2026-11-20T12:00:00Z");
  private final MemoryResourceStore store = new MemoryResourceStore(clock, 1000);

  /** The write at which the controller ends. */
  private int endsAt;

  private Fault fault = Fault.NONE;
  private int writes;
  private final ResourceStore faulty =
      new FaultyResourceStore(
          store, (operation, kind, name) -> ++writes == endsAt ? fault : Fault.NONE);

  private void create() throws StorageException {
    store.create(
        RecurringJob.of(
            JOB,
            RecurringJobSpec.EMPTY
                .withTask("system-backup")
                .withCron("0 3 * * *")
                .withParameters(Map.of(RecurringJobSpec.VOLUME_BACKUP_POLICY, "always"))
                .withRetain(2)));
    settle();
  }

  private RecurringJob job() throws StorageException {
    return store.get(RecurringJob.KIND, JOB).orElseThrow();
  }

  private List<SystemBackup> backups() throws StorageException {
    return store.list(SystemBackup.KIND, LabelSelector.ALL).items();
  }

  private List<String> names() throws StorageException {
    return backups().stream().map(SystemBackup::name).toList();
  }

  /** Runs the controllers. A controller that ends is followed by a new one. */
  private void settle() throws StorageException {
    for (int step = 0; step < 10; step++) {
      try {
        new SystemJobReconciler().reconcile(JOB, new StoreContext(faulty, clock, "node-1"));
        new RecurringJobReconciler().reconcile(JOB, new StoreContext(faulty, clock, "node-1"));
      } catch (StorageException e) {
        assertThat(e).hasMessageContaining("injected fault");
      }
    }
  }

  /** Ends a system backup, as its controller does. */
  private void end(SystemBackupState state, String error) throws StorageException {
    for (SystemBackup backup : backups()) {
      if (backup.status().state() == SystemBackupState.NONE) {
        store.updateStatus(backup.withStatus(backup.status().withState(state).withError(error)));
      }
    }
  }

  private void night(int day) throws StorageException {
    clock.set("2026-11-" + day + "T03:00:00Z");
    settle();
    end(SystemBackupState.READY, "");
    settle();
  }

  @Test
  void eachRunMakesOneSystemBackupAndTheNewestAreKept() throws Exception {
    create();
    night(21);
    assertThat(names()).containsExactly("weekly-202611210300");
    assertThat(backups().get(0).spec().volumeBackupPolicy()).isEqualTo(VolumeBackupPolicy.ALWAYS);
    night(22);
    night(23);
    assertThat(names()).containsExactly("weekly-202611220300", "weekly-202611230300");
    assertThat(job().status().lastSucceededAt()).isEqualTo(Optional.of(clock.instant()));
    assertThat(job().status().executionCount()).isEqualTo(3);
    assertThat(job().status().active()).isEmpty();
  }

  @Test
  void failureIsAnErrorOfTheRunAndRemovesNothing() throws Exception {
    create();
    night(21);
    night(22);
    clock.set("2026-11-23T03:00:00Z");
    settle();
    end(SystemBackupState.ERROR, "the target is full");
    settle();
    assertThat(job().status().lastErrors())
        .containsExactly("system backup weekly-202611230300: the target is full");
    assertThat(job().status().lastSucceededAt()).isNotEqualTo(Optional.of(clock.instant()));
    assertThat(names()).hasSize(3);
  }

  @Test
  void runDoesNotBeginWhileThePreviousOneIsUnfinished() throws Exception {
    create();
    clock.set("2026-11-21T03:00:00Z");
    settle();
    clock.set("2026-11-22T03:00:00Z");
    settle();
    assertThat(names()).containsExactly("weekly-202611210300");
    assertThat(job().status().lastErrors())
        .containsExactly("system backup: the previous run is not finished");
    assertThat(job().status().active()).containsExactly("weekly-202611210300");
    end(SystemBackupState.READY, "");
    settle();
    assertThat(job().status().lastSucceededAt()).contains(Instant.parse("2026-11-21T03:00:00Z"));
    assertThat(job().status().lastErrors()).as("of the run that did not begin").hasSize(1);
  }

  @Test
  void controllerEndedAtAnyWriteHasTheSameResult() throws Exception {
    List<String> expected = played(0, Fault.NONE);
    int most = writes;
    assertThat(most).isGreaterThan(10);
    for (int at = 1; at <= most; at++) {
      for (Fault kind : List.of(Fault.BEFORE, Fault.AFTER)) {
        SystemJobTest other = new SystemJobTest();
        assertThat(other.played(at, kind)).as(kind + " write " + at).isEqualTo(expected);
      }
    }
  }

  private List<String> played(int at, Fault kind) throws StorageException {
    endsAt = at;
    fault = kind;
    create();
    for (int day = 21; day < 25; day++) {
      night(day);
    }
    List<String> end = new ArrayList<>(names());
    end.add(job().status().toString());
    store.close();
    return end;
  }
}
