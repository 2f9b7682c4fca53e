package dev.holdfast.backuptarget.nfs.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.backuptarget.ForwardingObjectStore;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.PutOptions;
import dev.holdfast.backuptarget.StoreOptions;
import dev.holdfast.backuptarget.StoredObject;
import dev.holdfast.backuptarget.testkit.MemoryObjectStore;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls on a file system that hangs until the test releases it. */
@Timeout(120)
class HungFileSystemTest {
  private static final int CONNECTIONS = 2;
  private static final int THREADS = 3;
  private static final StoreOptions SHORT =
      new StoreOptions(Duration.ofSeconds(1), Duration.ofMillis(50), CONNECTIONS);
  private static final StoreOptions LONG =
      new StoreOptions(Duration.ofMinutes(1), Duration.ofMinutes(1), CONNECTIONS);

  private final ExecutorService threads =
      new ThreadPoolExecutor(0, THREADS, 1, TimeUnit.SECONDS, new SynchronousQueue<>());
  private final CountDownLatch released = new CountDownLatch(1);
  private final CountDownLatch done = new CountDownLatch(1);
  private final AtomicInteger closings = new AtomicInteger();
  private final MemoryObjectStore memory = new MemoryObjectStore(Clock.systemUTC());

  /** Hangs before each call; a put ends the test's wait. */
  private final class Hung extends ForwardingObjectStore {
    Hung() {
      super(memory);
    }

    private void hang() throws StorageException {
      try {
        released.await();
      } catch (InterruptedException e) {
        throw new StorageException(ErrorCode.INTERNAL, "interrupted", e);
      }
    }

    @Override
    public StoredObject put(String key, List<ByteBuffer> content, PutOptions options)
        throws StorageException {
      hang();
      StoredObject stored = super.put(key, content, options);
      done.countDown();
      return stored;
    }

    @Override
    public void get(String key, long offset, ByteBuffer target) throws StorageException {
      hang();
      super.get(key, offset, target);
      done.countDown();
    }

    @Override
    public Optional<StoredObject> stat(String key) throws StorageException {
      hang();
      return super.stat(key);
    }
  }

  private ObjectStore store(StoreOptions options) {
    return new BoundedObjectStore(
        "target", new Hung(), threads, options, closings::incrementAndGet);
  }

  @AfterEach
  void release() {
    released.countDown();
    threads.shutdown();
  }

  private static void assertFails(ErrorCode code, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.code()).isEqualTo(code))
        .hasMessageContaining("target: ");
  }

  private byte[] stored(String key, int length) throws StorageException {
    byte[] bytes = new byte[length];
    memory.get(key, 0, ByteBuffer.wrap(bytes));
    return bytes;
  }

  @Test
  void putThatWasGivenUpStoresTheContentOfItsCall() throws Exception {
    ByteBuffer content = ByteBuffer.wrap("first".getBytes(StandardCharsets.UTF_8));
    assertFails(
        ErrorCode.TIMEOUT, () -> store(SHORT).put("key", List.of(content), PutOptions.REPLACE));
    content.put(0, (byte) 'X');
    released.countDown();
    assertThat(done.await(1, TimeUnit.MINUTES)).isTrue();

    assertThat(stored("key", 5)).asString(StandardCharsets.UTF_8).isEqualTo("first");
  }

  @Test
  void getThatWasGivenUpLeavesTheBufferOfItsCallerAlone() throws Exception {
    StoredObject unused =
        memory.put(
            "key",
            List.of(ByteBuffer.wrap("first".getBytes(StandardCharsets.UTF_8))),
            PutOptions.REPLACE);
    ByteBuffer target = ByteBuffer.allocate(5);
    assertFails(ErrorCode.TIMEOUT, () -> store(SHORT).get("key", 0, target));
    released.countDown();
    assertThat(done.await(1, TimeUnit.MINUTES)).isTrue();

    assertThat(target.position()).isZero();
    assertThat(target.array()).containsOnly(0);
  }

  @Test
  void hungCallsKeepTheirConnectionsAndThreads() throws Exception {
    ObjectStore one = store(SHORT);
    for (int call = 0; call <= CONNECTIONS; call++) {
      assertFails(ErrorCode.TIMEOUT, () -> one.stat("key"));
    }
    ObjectStore other = store(SHORT);
    assertFails(ErrorCode.TIMEOUT, () -> other.stat("key"));
    assertFails(ErrorCode.UNREACHABLE, () -> other.stat("key"));

    released.countDown();
    awaitFreeThread();
    assertThat(store(LONG).stat("key")).isEmpty();
  }

  private void awaitFreeThread() throws StorageException {
    ObjectStore store = store(LONG);
    for (boolean free = false; !free; ) {
      try {
        free = store.stat("key").isEmpty();
      } catch (StorageException e) {
        assertThat(e.code()).isEqualTo(ErrorCode.UNREACHABLE);
      }
    }
  }

  @Test
  void closingFailsCallsInProgressAndReleasesOnce() throws Exception {
    ObjectStore store = store(LONG);
    Thread closer =
        new Thread(
            () -> {
              store.close();
              store.close();
            });
    ObjectStore closing =
        new ForwardingObjectStore(store) {
          @Override
          public Optional<StoredObject> stat(String key) throws StorageException {
            closer.start();
            return super.stat(key);
          }
        };
    assertFails(ErrorCode.IO, () -> closing.stat("key"));
    closer.join();

    assertThat(closings).hasValue(1);
    assertFails(ErrorCode.IO, () -> store.stat("key"));
  }

  @Test
  void errorsOfTheKernelForASilentServerAreUnreachable() {
    for (String reason : List.of("/m/key: Input/output error", "/m/key: Stale file handle")) {
      ObjectStore failing =
          new ForwardingObjectStore(memory) {
            @Override
            public Optional<StoredObject> stat(String key) throws StorageException {
              throw StorageException.io("target: object key", new IOException(reason));
            }
          };
      ObjectStore store = new BoundedObjectStore("target", failing, threads, LONG, () -> {});
      assertFails(ErrorCode.UNREACHABLE, () -> store.stat("key"));
    }
  }

  @Test
  void listingOfManyPagesVisitsEachObjectOnce() throws Exception {
    released.countDown();
    for (int number = 0; number < 2_500; number++) {
      StoredObject unused =
          memory.put("k" + number, List.of(ByteBuffer.allocate(1)), PutOptions.REPLACE);
    }
    List<String> keys = new ArrayList<>();
    store(LONG).list("k", "", found -> keys.add(found.key()));

    assertThat(keys).hasSize(2_500).doesNotHaveDuplicates().isSorted();
  }
}
