package dev.holdfast.backuptarget.testkit;

import static dev.holdfast.backuptarget.testkit.ObjectStoreKit.assertFails;
import static dev.holdfast.backuptarget.testkit.ObjectStoreKit.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.backuptarget.PutOptions;
import dev.holdfast.backuptarget.StoreCapability;
import dev.holdfast.backuptarget.StoredObject;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Conditions, replacements and concurrent writers. */
abstract class WritersTopic {
  private static final int WRITERS = 8;
  private static final int SIZE = 256 << 10;

  private final ObjectStoreKit kit;

  WritersTopic(ObjectStoreKit kit) {
    this.kit = kit;
  }

  @Test
  final void conditionsWithoutTheirCapabilityAreUnsupported() throws Exception {
    kit.put("present", new byte[1]);
    if (!has(StoreCapability.CREATE_IF_ABSENT)) {
      assertFails("ifAbsent", ErrorCode.UNSUPPORTED, () -> putIfAbsent("new", 1));
    }
    if (!has(StoreCapability.REPLACE_IF_SAME)) {
      assertFails("ifTag", ErrorCode.UNSUPPORTED, () -> putIfTag("present", "x"));
    }
  }

  @Test
  final void putIfAbsentKeepsThePresentObject() throws Exception {
    if (has(StoreCapability.CREATE_IF_ABSENT)) {
      putIfAbsent("once", 1);

      assertFails("put of a present object", ErrorCode.CONFLICT, () -> putIfAbsent("once", 2));
      assertThat(kit.get("once", 0, 1)).as("the first object's byte").containsExactly(1);
    }
  }

  @Test
  final void exactlyOneOfSeveralWritersCreatesAnObject() throws Exception {
    if (has(StoreCapability.CREATE_IF_ABSENT)) {
      List<Integer> winners = new ArrayList<>();
      List<Future<Boolean>> results = together(writer -> () -> creates("raced", writer));
      for (int writer = 0; writer < WRITERS; writer++) {
        if (results.get(writer).get()) {
          winners.add(writer);
        }
      }
      assertThat(winners).as("writers whose put succeeded").hasSize(1);
      assertThat(kit.get("raced", 0, 1)).containsExactly(winners.get(0));
    }
  }

  @Test
  final void putIfTagReplacesOnlyTheObjectOfThatTag() throws Exception {
    if (has(StoreCapability.REPLACE_IF_SAME)) {
      String former = kit.put("guarded", new byte[] {1}).tag();
      StoredObject present = kit.put("guarded", new byte[] {2});

      assertFails("a former tag", ErrorCode.CONFLICT, () -> putIfTag("guarded", former));
      assertFails("an absent object", ErrorCode.CONFLICT, () -> putIfTag("none", former));
      putIfTag("guarded", present.tag());
      assertThat(kit.get("guarded", 0, 1)).containsExactly(9);
    }
  }

  @Test
  final void readersNeverSeeAPartOfAnObject() throws Exception {
    kit.put("uniform", filled(0));
    AtomicBoolean done = new AtomicBoolean();
    ExecutorService reader = Executors.newSingleThreadExecutor();
    try {
      Future<Integer> mixed = reader.submit(() -> mixedReads(done));
      for (Future<Boolean> result : together(writer -> () -> replaces(writer))) {
        assertThat(result.get()).isTrue();
      }
      done.set(true);
      assertThat(mixed.get()).as("reads with bytes of two objects").isZero();
    } finally {
      done.set(true);
      reader.shutdown();
    }
  }

  @Test
  final void positionsOfSharedBuffersStay() throws Exception {
    ByteBuffer shared = ByteBuffer.wrap(bytes(SIZE, 6)).asReadOnlyBuffer();
    for (Future<Boolean> result :
        together(
            writer ->
                () ->
                    kit.store().put("s/" + writer, List.of(shared), PutOptions.REPLACE) != null)) {
      assertThat(result.get()).isTrue();
    }
    for (int writer = 0; writer < WRITERS; writer++) {
      assertThat(kit.get("s/" + writer, 0, SIZE)).isEqualTo(bytes(SIZE, 6));
    }
  }

  private int mixedReads(AtomicBoolean done) throws StorageException {
    int mixed = 0;
    while (!done.get()) {
      byte[] read = kit.get("uniform", 0, SIZE);
      mixed += Arrays.equals(read, filled(read[0])) ? 0 : 1;
    }
    return mixed;
  }

  private boolean replaces(int writer) throws StorageException {
    for (int round = 0; round < 10; round++) {
      kit.put("uniform", filled(writer));
    }
    return true;
  }

  private boolean creates(String key, int writer) throws StorageException {
    try {
      putIfAbsent(key, writer);
      return true;
    } catch (StorageException e) {
      if (e.code() == ErrorCode.CONFLICT) {
        return false;
      }
      throw e;
    }
  }

  private boolean has(StoreCapability capability) {
    return kit.store().capabilities().contains(capability);
  }

  private void putIfAbsent(String key, int value) throws StorageException {
    kit.store().put(key, List.of(one(value)), PutOptions.IF_ABSENT);
  }

  private void putIfTag(String key, String tag) throws StorageException {
    kit.store()
        .put(key, List.of(one(9)), new PutOptions(false, Optional.of(tag), Optional.empty()));
  }

  private static ByteBuffer one(int value) {
    return ByteBuffer.wrap(new byte[] {(byte) value});
  }

  private static byte[] filled(int value) {
    byte[] bytes = new byte[SIZE];
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }

  /** Task of one of several writers. */
  private interface Work {
    Callable<Boolean> of(int writer);
  }

  private static List<Future<Boolean>> together(Work work) throws InterruptedException {
    ExecutorService executor = Executors.newFixedThreadPool(WRITERS);
    try {
      List<Callable<Boolean>> calls = new ArrayList<>();
      for (int writer = 0; writer < WRITERS; writer++) {
        calls.add(work.of(writer));
      }
      return executor.invokeAll(calls);
    } finally {
      executor.shutdown();
    }
  }
}
