package dev.holdfast.portal.internal.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.block.IoThread;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.ExportStateStore;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

final class SharedStateTest {
  private final Store store = new Store();
  private final ExecutorService threads = Executors.newCachedThreadPool();

  @AfterEach
  void stop() {
    threads.shutdownNow();
  }

  private static final class Store implements ExportStateStore {
    private final Map<String, String> kept = new HashMap<>();
    private boolean failing;
    private boolean keeping;
    private int saves;
    private CountDownLatch asked = new CountDownLatch(0);
    private CountDownLatch answers = new CountDownLatch(0);

    /** Delays replies until the test resumes it. */
    void pause() {
      asked = new CountDownLatch(1);
      answers = new CountDownLatch(1);
    }

    @Override
    public boolean keeps(String name) {
      return keeping;
    }

    @Override
    public Map<String, String> load() {
      return Map.copyOf(kept);
    }

    @Override
    public void save(Map<String, String> texts) throws StorageException {
      if (failing) {
        throw new StorageException(ErrorCode.UNREACHABLE, "the test's store does not answer");
      }
      asked.countDown();
      try {
        answers.await();
      } catch (InterruptedException e) {
        throw new StorageException(ErrorCode.IO, "interrupted", e);
      }
      saves++;
      kept.clear();
      kept.putAll(texts);
    }
  }

  @Test
  void onlyDurableTextsOutliveTheExport() throws Exception {
    SharedState state = new SharedState(store);
    assertThat(state.replace("kept", Optional.empty(), Optional.of("1"), true)).isTrue();
    assertThat(state.replace("lost", Optional.empty(), Optional.of("2"), false)).isTrue();
    assertThat(store.saves).isEqualTo(1);
    SharedState next = new SharedState(store);
    assertThat(next.text("kept")).hasValue("1");
    assertThat(next.text("lost")).isEmpty();
    assertThat(next.replace("kept", Optional.of("1"), Optional.of("3"), false)).isTrue();
    assertThat(next.text("kept")).hasValue("3");
    assertThat(new SharedState(store).text("kept")).isEmpty();
  }

  @Test
  void aTextIsReplacedOnlyIfItIsTheExpectedOne() throws Exception {
    SharedState state = new SharedState(store);
    assertThat(state.replace("a", Optional.of("x"), Optional.of("1"), false)).isFalse();
    assertThat(state.replace("a", Optional.empty(), Optional.of("1"), false)).isTrue();
    assertThat(state.replace("a", Optional.empty(), Optional.of("2"), true)).isFalse();
    assertThat(state.text("a")).hasValue("1");
    assertThat(store.saves).isZero();
  }

  @Test
  void textThatWasNotStoredIsNotVisible() throws Exception {
    SharedState state = new SharedState(store);
    store.failing = true;
    assertThatThrownBy(() -> state.replace("a", Optional.empty(), Optional.of("1"), true))
        .isInstanceOf(StorageException.class);
    assertThat(state.text("a")).isEmpty();
  }

  @Test
  void textOfAnotherNodeIsVisibleAndNotOverwritten() throws Exception {
    SharedState one = new SharedState(store);
    SharedState other = new SharedState(store);
    assertThat(one.replace("a", Optional.empty(), Optional.of("one's"), true)).isTrue();
    assertThat(other.replace("a", Optional.empty(), Optional.of("other's"), true)).isFalse();
    assertThat(other.text("a")).hasValue("one's");
    assertThat(other.replace("a", Optional.of("one's"), Optional.of("both's"), true)).isTrue();
    assertThat(one.replace("a", Optional.of("one's"), Optional.empty(), true)).isFalse();
    assertThat(one.text("a")).hasValue("both's");
    assertThat(store.kept).isEqualTo(Map.of("a", "both's"));
  }

  @Test
  void anotherTextOfAnotherNodeStays() throws Exception {
    SharedState one = new SharedState(store);
    SharedState other = new SharedState(store);
    assertThat(one.replace("a", Optional.empty(), Optional.of("1"), true)).isTrue();
    assertThat(other.replace("b", Optional.empty(), Optional.of("2"), true)).isTrue();
    assertThat(store.kept).isEqualTo(Map.of("a", "1", "b", "2"));
  }

  @Test
  void aChangeWithAnUnknownOutcomeIsFoundOut() throws Exception {
    SharedState state = new SharedState(store);
    store.kept.put("a", "1");
    assertThat(state.replace("a", Optional.empty(), Optional.of("2"), true)).isFalse();
    assertThat(state.replace("a", Optional.of("1"), Optional.of("2"), true)).isTrue();
  }

  @Test
  void textForAnotherNodeIsStoredToo() throws Exception {
    store.keeping = true;
    SharedState state = new SharedState(store);
    assertThat(state.replace("a", Optional.empty(), Optional.of("1"), false)).isTrue();
    assertThat(new SharedState(store).text("a")).hasValue("1");
    assertThat(state.replace("a", Optional.of("1"), Optional.empty(), false)).isTrue();
    assertThat(store.kept).isEmpty();
  }

  /** Completions change texts that are not durable, on threads that serve other volumes too. */
  @Test
  @Timeout(60)
  void textInMemoryIsReplacedWhileTheStoreDoesNotAnswer() throws Exception {
    SharedState state = new SharedState(store);
    store.pause();
    CompletableFuture<Boolean> slow = durably(state, "slow");
    store.asked.await();

    assertThat(state.replace("quick", Optional.empty(), Optional.of("1"), false)).isTrue();
    assertThat(state.text("quick")).hasValue("1");
    assertThat(state.text("slow")).isEmpty();

    store.answers.countDown();
    assertThat(slow.get()).isTrue();
    assertThat(state.text("slow")).hasValue("1");
  }

  @Test
  @Timeout(60)
  void textThatIsBeingWrittenIsReplacedInMemoryOnlyAfterThat() throws Exception {
    SharedState state = new SharedState(store);
    store.pause();
    CompletableFuture<Boolean> durable = durably(state, "a");
    store.asked.await();
    CompletableFuture<Boolean> inMemory =
        CompletableFuture.supplyAsync(
            () -> state.replace("a", Optional.empty(), Optional.of("2")), threads);

    store.answers.countDown();

    assertThat(durable.get()).isTrue();
    assertThat(inMemory.get()).isFalse();
    assertThat(state.text("a")).hasValue("1");
  }

  /** The store may take longer than a replica is waited for. */
  @Test
  @Timeout(60)
  void deferredWorkOfAThreadDoesNotWaitForTheStore() throws Exception {
    SharedState state = new SharedState(store);
    store.pause();
    IoThread thread =
        new IoThread(
            () -> {
              ((IoThread) Thread.currentThread()).beginRun();
              assertThat(IoThread.defer(store.answers::countDown)).isTrue();
              replaced(state, "a");
            },
            "run");
    thread.start();
    thread.join();
    assertThat(state.text("a")).hasValue("1");
  }

  private CompletableFuture<Boolean> durably(SharedState state, String name) {
    return CompletableFuture.supplyAsync(() -> replaced(state, name), threads);
  }

  private static boolean replaced(SharedState state, String name) {
    try {
      return state.replace(name, Optional.empty(), Optional.of("1"), true);
    } catch (StorageException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void removedTextsLeaveNoState() throws Exception {
    SharedState state = new SharedState(store);
    for (int session = 0; session < 10; session++) {
      String name = "session-" + session;
      assertThat(state.replace(name, Optional.empty(), Optional.of("1"))).isTrue();
      assertThat(state.replace(name, Optional.of("1"), Optional.empty())).isTrue();
      assertThat(state.replace(name, Optional.empty(), Optional.of("2"), true)).isTrue();
      assertThat(state.replace(name, Optional.of("2"), Optional.empty(), true)).isTrue();
      assertThat(state.text(name)).isEmpty();
    }
    assertThat(state.count()).isZero();
  }
}
