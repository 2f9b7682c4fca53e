package dev.holdfast.store.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingStatus;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Optimistic concurrency, and linearizability. */
abstract class ConcurrencyTopic extends StoreTopic {
  private static final int WRITERS = 4;
  private static final int INCREMENTS = 40;

  ConcurrencyTopic(ResourceStoreKit kit) {
    super(kit);
  }

  @Test
  final void anUpdateFromAnOldVersionConflicts() throws Exception {
    Setting old = store.create(setting("a", "1"));
    Setting updated = store.update(old.withSpec(setting("a", "2").spec()));

    assertFails(ErrorCode.CONFLICT, () -> store.update(old.withSpec(setting("a", "3").spec())));
    assertFails(
        ErrorCode.CONFLICT,
        () -> store.updateStatus(old.withStatus(SettingStatus.EMPTY.withApplied(true))));

    assertThat(store.get(Setting.KIND, "a")).contains(updated);
  }

  @Test
  final void anUpdateFromAnOldVersionConflictsEvenWithoutAChange() throws Exception {
    Setting old = store.create(setting("a", "1"));
    Setting updated = store.update(old.withSpec(setting("a", "2").spec()));

    assertFails(ErrorCode.CONFLICT, () -> store.update(old.withSpec(updated.spec())));
  }

  @Test
  final void aStatusWriteConflictsWithASpecWrite() throws Exception {
    Setting old = store.create(setting("a", "1"));
    store.updateStatus(old.withStatus(SettingStatus.EMPTY.withApplied(true)));

    assertFails(ErrorCode.CONFLICT, () -> store.update(old.withSpec(setting("a", "2").spec())));
  }

  @Test
  final void onlyOneOfManyCreatesWins() throws Exception {
    for (int round = 0; round < 5; round++) {
      String name = "a-" + round;

      List<Boolean> won =
          Workers.run(WRITERS, worker -> succeeds(() -> store.create(setting(name, "" + worker))));

      assertThat(won).containsOnlyOnce(true);
    }
  }

  @Test
  final void onlyOneOfManyUpdatesFromTheSameVersionWins() throws Exception {
    Setting start = store.create(setting("a", "start"));

    List<Boolean> won =
        Workers.run(
            WRITERS,
            worker ->
                succeeds(() -> store.update(start.withSpec(setting("a", "" + worker).spec()))));

    assertThat(won).containsOnlyOnce(true);
  }

  @Test
  final void aCounterLosesNoIncrement() throws Exception {
    store.create(setting("counter", "0"));

    Workers.run(
        WRITERS,
        worker -> {
          for (int i = 0; i < INCREMENTS; i++) {
            increment();
          }
          return worker;
        });

    assertThat(store.get(Setting.KIND, "counter").map(s -> s.spec().value()))
        .contains("" + WRITERS * INCREMENTS);
  }

  /** Read or update of one resource, with the version that it read or wrote. */
  private record Operation(long begin, long end, boolean update, long version) {}

  /**
   * Versions order the updates, so a history is linearizable exactly if it agrees with real time. A
   * reader must see all updates that were complete before it began, and none that begins after its
   * end.
   */
  @Test
  final void readsAndUpdatesAreLinearizable() throws Exception {
    store.create(setting("counter", "0"));
    List<Operation> history = new ArrayList<>();
    Workers.run(
            WRITERS,
            worker -> {
              List<Operation> mine = new ArrayList<>();
              for (int i = 0; i < INCREMENTS; i++) {
                long begin = System.nanoTime();
                long seen = version(store.get(Setting.KIND, "counter").orElseThrow());
                mine.add(new Operation(begin, System.nanoTime(), false, seen));
                if (worker % 2 == 0) {
                  mine.add(increment());
                }
              }
              return mine;
            })
        .forEach(history::addAll);

    for (Operation earlier : history) {
      for (Operation later : history) {
        if (earlier.end < later.begin) {
          boolean agrees =
              later.update ? earlier.version < later.version : earlier.version <= later.version;
          assertThat(agrees).as("%s was complete before %s", earlier, later).isTrue();
        }
      }
    }
    assertThat(history.stream().filter(Operation::update).map(Operation::version))
        .doesNotHaveDuplicates();
  }

  private Operation increment() throws StorageException {
    while (true) {
      Setting before = store.get(Setting.KIND, "counter").orElseThrow();
      int next = Integer.parseInt(before.spec().value()) + 1;
      long begin = System.nanoTime();
      try {
        Setting after = store.update(before.withSpec(setting("counter", "" + next).spec()));
        return new Operation(begin, System.nanoTime(), true, version(after));
      } catch (StorageException e) {
        if (e.code() != ErrorCode.CONFLICT) {
          throw e;
        }
      }
    }
  }

  private interface Write {
    Setting apply() throws StorageException;
  }

  private static boolean succeeds(Write write) throws StorageException {
    try {
      write.apply();
      return true;
    } catch (StorageException e) {
      if (e.code() == ErrorCode.CONFLICT || e.code() == ErrorCode.ALREADY_EXISTS) {
        return false;
      }
      throw e;
    }
  }
}
