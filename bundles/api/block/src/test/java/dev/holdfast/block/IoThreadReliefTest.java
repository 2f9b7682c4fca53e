package dev.holdfast.block;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A thread that hangs in a deferred action, and the one that continues its run. */
@Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class IoThreadReliefTest {
  private final LinkedBlockingQueue<String> begun = new LinkedBlockingQueue<>();
  private final CompletableFuture<Long> exposed = new CompletableFuture<>();
  private final CompletableFuture<Boolean> firstEnded = new CompletableFuture<>();
  private final CompletableFuture<Boolean> secondEnded = new CompletableFuture<>();
  private final CompletableFuture<IoThread.Remainder> left = new CompletableFuture<>();
  private final CountDownLatch disk = new CountDownLatch(1);

  /** Creates the thread that hangs. */
  private interface Kind {
    IoThread thread(Runnable task);
  }

  @AfterEach
  void wake() {
    disk.countDown();
  }

  private void runOfThree() {
    IoThread self = (IoThread) Thread.currentThread();
    self.beginRun();
    IoThread.defer(() -> hang(self));
    IoThread.defer(() -> begun.add("second"));
    IoThread.defer(() -> begun.add("third"));
    firstEnded.complete(self.endRun(left::complete));
  }

  private void hang(IoThread self) {
    begun.add("first");
    long ticket = self.expose();
    exposed.complete(ticket);
    awaitDisk();
    boolean unused = self.cover(ticket);
  }

  private void awaitDisk() {
    try {
      disk.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Lets another thread continue; returns what was begun before and after the first one returns.
   */
  private List<String> relieved(Kind kind) throws Exception {
    IoThread first = kind.thread(this::runOfThree);
    first.start();
    assertThat(first.relieve(exposed.get())).isTrue();
    continueOnAnother(left.get()).join();
    disk.countDown();
    first.join();
    return List.copyOf(begun);
  }

  private IoThread continueOnAnother(IoThread.Remainder remainder) {
    IoThread second =
        new IoThread(
            () ->
                secondEnded.complete(
                    ((IoThread) Thread.currentThread()).continueRun(remainder, rest -> {})),
            "second");
    second.start();
    return second;
  }

  @Test
  void anotherThreadDoesTheRestWhileTheFirstHangs() throws Exception {
    assertThat(relieved(task -> new IoThread(task, "first")))
        .containsExactly("first", "second", "third");
    assertThat(firstEnded.get()).as("the first thread still owns the work").isFalse();
    assertThat(secondEnded.get()).as("the second thread owns the work").isTrue();
  }

  @Test
  void mutantThatGivesNothingToTheOtherThreadIsNoticed() throws Exception {
    assertThat(
            relieved(
                task ->
                    new IoThread(task, "first") {
                      @Override
                      Runnable[] rest() {
                        return new Runnable[0];
                      }
                    }))
        .isNotEqualTo(List.of("first", "second", "third"));
  }

  @Test
  void mutantThatContinuesAfterItWasRelievedIsNoticed() throws Exception {
    assertThat(
            relieved(
                task ->
                    new IoThread(task, "first") {
                      @Override
                      boolean relieved() {
                        return false;
                      }
                    }))
        .isNotEqualTo(List.of("first", "second", "third"));
  }

  @Test
  void restOfARunIsContinuedOnce() throws Exception {
    IoThread first = new IoThread(this::runOfThree, "first");
    first.start();
    long ticket = exposed.get();
    assertThat(first.relieve(ticket)).isTrue();
    assertThat(first.relieve(ticket)).as("relieved again").isFalse();
    continueOnAnother(left.get()).join();
    IoThread third = new IoThread(() -> {}, "third");
    IoThread.Remainder remainder = left.get();
    assertThatThrownBy(() -> third.continueRun(remainder, rest -> {}))
        .isInstanceOf(IllegalStateException.class);
  }

  /** Relieves a thread whose work has just ended; returns how often the second action began. */
  private long begunAfterLateRelief(Kind kind) throws Exception {
    AtomicLong seconds = new AtomicLong();
    List<IoThread> others = new ArrayList<>();
    Runnable run =
        () -> {
          IoThread self = (IoThread) Thread.currentThread();
          self.beginRun();
          IoThread.defer(
              () -> {
                long ticket = self.expose();
                boolean unused = self.cover(ticket);
                unused = self.relieve(ticket);
              });
          IoThread.defer(seconds::incrementAndGet);
          firstEnded.complete(self.endRun(rest -> others.add(continueOnAnother(rest))));
        };
    IoThread first = kind.thread(run);
    first.start();
    first.join();
    for (IoThread other : others) {
      other.join();
    }
    return seconds.get();
  }

  @Test
  void actionThatSettlesIsNotRelievable() throws Exception {
    CompletableFuture<List<Boolean>> found = new CompletableFuture<>();
    IoThread thread =
        new IoThread(
            () -> {
              IoThread self = (IoThread) Thread.currentThread();
              List<Boolean> relievable = new ArrayList<>();
              Runnable asks = () -> relievable.add(IoThread.relievable().isPresent());
              self.beginRun();
              IoThread.defer(asks);
              IoThread.defer(IoThread::settle);
              IoThread.defer(() -> asks.run());
              boolean unused = self.endRun(rest -> {});
              self.beginRun();
              IoThread.defer(asks);
              IoThread.settle();
              self.endRun();
              found.complete(relievable);
            },
            "settles");
    thread.start();
    assertThat(found.get()).containsExactly(true, false, false);
  }

  @Test
  void threadWhoseWorkHasEndedIsNotRelieved() throws Exception {
    assertThat(begunAfterLateRelief(task -> new IoThread(task, "first"))).isOne();
    assertThat(firstEnded.get()).isTrue();
  }

  @Test
  void mutantThatRelievesAnyThreadIsNoticed() throws Exception {
    assertThat(
            begunAfterLateRelief(
                task ->
                    new IoThread(task, "first") {
                      @Override
                      boolean exposed(long ticket) {
                        return true;
                      }

                      @Override
                      boolean claims(long ticket) {
                        return true;
                      }
                    }))
        .isNotEqualTo(1);
  }
}
