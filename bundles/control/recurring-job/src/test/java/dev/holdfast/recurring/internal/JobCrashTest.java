package dev.holdfast.recurring.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.error.StorageException;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.store.memory.FaultSchedule;
import dev.holdfast.store.memory.FaultyResourceStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A controller that ends before or after any one of its writes leaves the same result. */
class JobCrashTest {
  /** Counts the writes of the controller, and ends the controller at one of them. */
  private static final class Crash {
    private final int at;
    private final FaultSchedule.Fault fault;
    private int writes;

    Crash(int at, FaultSchedule.Fault fault) {
      this.at = at;
      this.fault = fault;
    }

    FaultSchedule.Fault next() {
      return ++writes == at ? fault : FaultSchedule.Fault.NONE;
    }
  }

  private static void settle(JobLab lab, FaultyResourceStore store) throws StorageException {
    try {
      lab.settle(store);
    } catch (StorageException e) {
      assertThat(e).hasMessageContaining("injected fault");
      lab.restart();
      lab.settle(store);
    }
  }

  /** Simulates some nights. Returns the objects at the end. */
  private static List<String> play(String task, Crash crash) throws Exception {
    try (JobLab lab = new JobLab()) {
      FaultyResourceStore store =
          new FaultyResourceStore(lab.store, (operation, kind, name) -> crash.next());
      for (String volume : List.of("va", "vb", "vc")) {
        lab.volume(volume, Map.of());
        if (task.equals("backup-verify")) {
          lab.backup(volume + "-1", volume, 1);
          lab.backup(volume + "-2", volume, 2);
        }
      }
      lab.job(spec -> spec.withTask(task).withConcurrency(2).withRetain(2));
      for (int day = 21; day < 25; day++) {
        lab.clock.set("2026-11-" + day + "T03:00:00Z");
        lab.changed.add("va");
        if (day % 2 == 0) {
          lab.changed.add("vb");
        }
        for (int step = 0; step < 5; step++) {
          settle(lab, store);
          lab.nodesWork();
        }
      }
      settle(lab, store);
      List<String> end = new ArrayList<>();
      for (Backup backup : lab.backups()) {
        end.add(backup.name() + " " + backup.metadata().labels() + " " + backup.spec());
      }
      for (Snapshot snapshot : lab.snapshots()) {
        end.add(snapshot.name() + " " + snapshot.metadata().labels());
      }
      end.add(lab.job().status().toString());
      return end;
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "snapshot",
        "snapshot-force-create",
        "snapshot-delete",
        "snapshot-cleanup",
        "backup",
        "backup-force-create",
        "backup-verify"
      })
  void crashAtAnyWriteChangesNothing(String task) throws Exception {
    Crash none = new Crash(0, FaultSchedule.Fault.NONE);
    List<String> expected = play(task, none);
    assertThat(none.writes).isGreaterThan(5);
    for (int at = 1; at <= none.writes; at++) {
      assertThat(play(task, new Crash(at, FaultSchedule.Fault.BEFORE)))
          .as("ended before write " + at)
          .isEqualTo(expected);
      assertThat(play(task, new Crash(at, FaultSchedule.Fault.AFTER)))
          .as("ended after write " + at)
          .isEqualTo(expected);
    }
  }
}
