package dev.holdfast.share.nfs.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class BoundedCallsTest {
  private static final Duration LONG = Duration.ofMinutes(1);
  private static final Duration SHORT = Duration.ofMillis(20);

  private final ExecutorService executor = Executors.newCachedThreadPool();
  private final BoundedCalls calls = new BoundedCalls(executor);

  @AfterEach
  void end() {
    executor.shutdownNow();
  }

  private static Void waitForInterrupt() throws StorageException {
    try {
      new CountDownLatch(1).await();
    } catch (InterruptedException e) {
      throw new StorageException(ErrorCode.TIMEOUT, "interrupted", e);
    }
    return null;
  }

  private static void assertCode(StorageException e, ErrorCode code) {
    assertThat(e.code()).as(e.getMessage()).isEqualTo(code);
  }

  @Test
  void changeThatTakesTooLongIsInterruptedAndTheNextOneRuns() throws Exception {
    assertThatThrownBy(() -> calls.run("v1", SHORT, BoundedCallsTest::waitForInterrupt))
        .isInstanceOfSatisfying(StorageException.class, e -> assertCode(e, ErrorCode.TIMEOUT));
    assertThat(calls.run("v1", LONG, () -> 7)).isEqualTo(7);
  }

  @Test
  void changeThatIgnoresItsInterruptKeepsTheNextOneWaiting() {
    CountDownLatch deaf = new CountDownLatch(1);
    BoundedCalls.Change<Void> ignoring =
        () -> {
          boolean ended = false;
          while (!ended) {
            try {
              deaf.await();
              ended = true;
            } catch (InterruptedException e) {
              // ignored, like in a thread that waits for a device
            }
          }
          return null;
        };
    assertThatThrownBy(() -> calls.run("v1", SHORT, ignoring)).hasMessageContaining("not done");
    assertThatThrownBy(() -> calls.run("v1", SHORT, () -> 7))
        .hasMessageContaining("an earlier change has not ended yet");
    deaf.countDown();
  }

  @Test
  void preemptedChangeEndsWithConflict() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CompletableFuture<ErrorCode> code = new CompletableFuture<>();
    executor.execute(
        () -> {
          try {
            Void unused =
                calls.run(
                    "v1",
                    LONG,
                    () -> {
                      begun.countDown();
                      return waitForInterrupt();
                    });
          } catch (StorageException e) {
            code.complete(e.code());
          }
        });
    begun.await();
    calls.preempt("v1");
    assertThat(code.get()).isEqualTo(ErrorCode.CONFLICT);
    assertThat(calls.run("v1", LONG, () -> 7)).isEqualTo(7);
  }
}
