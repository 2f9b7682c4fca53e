package dev.holdfast.controller.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class WorkQueueTest {
  private static final Duration LATE_AFTER = Duration.ofMinutes(1);

  private final ManualTasks tasks = new ManualTasks();
  private final List<String> worked = new ArrayList<>();
  private final List<String> late = new ArrayList<>();

  private WorkQueue open(int workers) {
    WorkQueue queue = new WorkQueue(tasks, workers, worked::add, LATE_AFTER, late::add);
    queue.resume();
    return queue;
  }

  @Test
  void keysAreWorkedOnInTheOrderOfTheirArrival() {
    WorkQueue queue = open(1);
    List.of("c", "a", "b").forEach(queue::add);
    tasks.run();
    assertThat(worked).containsExactly("c", "a", "b");
  }

  @Test
  void aKeyThatWaitsIsThereOnceAndKeepsItsPlace() {
    WorkQueue queue = new WorkQueue(tasks, 1, worked::add, LATE_AFTER, late::add);
    List.of("a", "b", "a", "b", "a").forEach(queue::add);
    assertThat(queue.size()).isEqualTo(2);
    queue.resume();
    tasks.run();
    assertThat(worked).containsExactly("a", "b");
  }

  @Test
  void aKeyAddedWhileItIsWorkedOnIsHandedOutOnceMoreAndBehindTheOthers() {
    List<WorkQueue> self = new ArrayList<>();
    WorkQueue queue =
        new WorkQueue(
            tasks,
            1,
            key -> {
              worked.add(key);
              if (worked.size() == 1) {
                self.get(0).add(key);
                self.get(0).add("b");
                self.get(0).add(key);
              }
            },
            LATE_AFTER,
            late::add);
    self.add(queue);
    queue.resume();
    queue.add("a");
    tasks.run();
    assertThat(worked).containsExactly("a", "b", "a");
  }

  @Test
  void noMoreKeysAreOutThanThereAreWorkers() {
    WorkQueue queue = open(2);
    List.of("a", "b", "c", "d", "e").forEach(queue::add);
    assertThat(queue.size()).isEqualTo(3);
    tasks.run();
    assertThat(worked).containsExactlyInAnyOrder("a", "b", "c", "d", "e");
  }

  @Test
  void aPausedQueueKeepsWhatComesAndForgetsWhatWaited() {
    WorkQueue queue = new WorkQueue(tasks, 1, worked::add, LATE_AFTER, late::add);
    queue.add("forgotten");
    queue.addAfter("forgotten too", Duration.ofSeconds(1));
    queue.pause();
    queue.add("kept");
    tasks.pass(Duration.ofSeconds(2));
    assertThat(worked).isEmpty();
    queue.resume();
    tasks.run();
    assertThat(worked).containsExactly("kept");
  }

  @Test
  void ofSeveralDelaysTheShortestCounts() {
    WorkQueue queue = open(1);
    queue.addAfter("a", Duration.ofSeconds(10));
    queue.addAfter("a", Duration.ofSeconds(2));
    queue.addAfter("a", Duration.ofSeconds(5));
    tasks.pass(Duration.ofMillis(1_999));
    assertThat(worked).isEmpty();
    tasks.pass(Duration.ofMillis(1));
    assertThat(worked).containsExactly("a");
    tasks.pass(Duration.ofMinutes(1));
    assertThat(worked).containsExactly("a");
  }

  @Test
  void aChangeDoesNotWaitForTheDelay() {
    WorkQueue queue = open(1);
    queue.addAfter("a", Duration.ofMinutes(5));
    queue.add("a");
    tasks.run();
    assertThat(worked).containsExactly("a");
  }

  @Test
  void aClosedQueueTakesNothing() {
    WorkQueue queue = open(1);
    queue.addAfter("a", Duration.ofSeconds(1));
    queue.close();
    queue.add("b");
    queue.addAfter("c", Duration.ofSeconds(1));
    queue.resume();
    tasks.pass(Duration.ofMinutes(1));
    assertThat(worked).isEmpty();
  }

  @Test
  void aKeyThatHangsIsReportedAndTheOthersContinue() {
    List<Runnable> whileHanging = new ArrayList<>();
    WorkQueue queue =
        new WorkQueue(
            tasks,
            1,
            key -> {
              worked.add(key);
              if (key.equals("hangs")) {
                whileHanging.forEach(Runnable::run);
              }
            },
            LATE_AFTER,
            late::add);
    queue.resume();
    whileHanging.add(
        () -> {
          tasks.pass(LATE_AFTER);
          assertThat(late).containsExactly("hangs");
          assertThat(worked).containsExactly("hangs", "other");
          assertThat(queue.close()).containsExactly("hangs");
        });
    queue.add("hangs");
    queue.add("other");
    tasks.run();
    assertThat(worked).containsExactly("hangs", "other");
    assertThat(Thread.interrupted()).as("what hangs is interrupted by closing").isTrue();
  }

  @Test
  void aKeyThatEndsInTimeIsNotToldOf() {
    WorkQueue queue = open(1);
    queue.add("a");
    tasks.run();
    tasks.pass(LATE_AFTER.multipliedBy(2));
    assertThat(late).isEmpty();
  }
}
