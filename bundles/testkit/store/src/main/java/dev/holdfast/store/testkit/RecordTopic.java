package dev.holdfast.store.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.EngineRecord;
import dev.holdfast.engine.EngineRecords;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.volume.StoredEngineRecord;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.records.StoreEngineRecords;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Records of engines over the store. */
abstract class RecordTopic extends StoreTopic {
  private static final int WRITERS = 4;
  private static final int INCREMENTS = 20;
  private static final int LIMIT_SECONDS = 30;

  private EngineRecords records;

  RecordTopic(ResourceStoreKit kit) {
    super(kit);
  }

  @BeforeEach
  final void openRecords() throws Exception {
    records = records("pooled");
  }

  private EngineRecords records(String engine) throws StorageException {
    return new StoreEngineRecords(() -> store, engine);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  private EngineRecord created(String name, String text) throws StorageException {
    EngineRecord record = EngineRecord.first(name, bytes(text));
    assertThat(records.compareAndSet(Optional.empty(), record)).isTrue();
    return record;
  }

  @Test
  final void recordIsReadAsItWasWritten() throws Exception {
    assertThat(records.read("pool.lock")).isEmpty();

    EngineRecord first = created("pool.lock", "free");
    EngineRecord second = first.next(new byte[] {0, -1, 127});
    assertThat(records.compareAndSet(Optional.of(first), second)).isTrue();

    assertThat(records.read("pool.lock")).contains(second);
    assertThat(second.version()).isEqualTo(2);
  }

  @Test
  final void writeFromAnOldVersionHasNoEffect() throws Exception {
    EngineRecord first = created("a", "1");
    EngineRecord second = first.next(bytes("2"));
    assertThat(records.compareAndSet(Optional.of(first), second)).isTrue();

    assertThat(records.compareAndSet(Optional.of(first), first.next(bytes("3")))).isFalse();
    assertThat(records.compareAndSet(Optional.empty(), EngineRecord.first("a", bytes("4"))))
        .isFalse();
    assertThat(records.delete(first)).isFalse();

    assertThat(records.read("a")).contains(second);
  }

  @Test
  final void repeatedWriteIsRecognised() throws Exception {
    EngineRecord first = created("a", "1");
    assertThat(records.compareAndSet(Optional.empty(), first)).isTrue();

    EngineRecord second = first.next(bytes("2"));
    assertThat(records.compareAndSet(Optional.of(first), second)).isTrue();
    assertThat(records.compareAndSet(Optional.of(first), second)).isTrue();
    assertThat(records.compareAndSet(Optional.empty(), first)).isFalse();

    assertThat(records.read("a")).contains(second);
  }

  @Test
  final void removedRecordIsAbsentAndCanBeCreatedAgain() throws Exception {
    EngineRecord first = created("a", "1");
    assertThat(records.delete(first)).isTrue();
    assertThat(records.delete(first)).as("again").isTrue();
    assertThat(records.read("a")).isEmpty();
    assertThat(records.list("")).isEmpty();
    assertThat(store.list(StoredEngineRecord.KIND, LabelSelector.ALL).items()).isEmpty();

    EngineRecord again = created("a", "1");

    assertThat(records.compareAndSet(Optional.of(first), first.next(bytes("2")))).isFalse();
    assertThat(records.delete(first)).isFalse();
    assertThat(records.read("a")).contains(again);
  }

  @Test
  final void recordWithAnInterruptedRemovalIsAbsent() throws Exception {
    EngineRecord first = created("a", "1");
    StoredEngineRecord stored =
        store.get(StoredEngineRecord.KIND, StoredEngineRecord.nameFor("pooled", "a")).orElseThrow();
    store.update(
        stored.withSpec(
            stored.spec().withRemoved(true).withVersion(2).withWriter("w").withValue("")));

    assertThat(records.read("a")).isEmpty();
    assertThat(records.list("")).isEmpty();
    assertThat(records.compareAndSet(Optional.of(first), first.next(bytes("2")))).isFalse();
    EngineRecord again = created("a", "3");
    assertThat(records.read("a")).contains(again);
  }

  @Test
  final void engineSeesItsOwnRecordsOnly() throws Exception {
    EngineRecord mine = created("a", "1");
    EngineRecords others = records("pooled-2");

    assertThat(others.read("a")).isEmpty();
    assertThat(others.list("")).isEmpty();
    EngineRecord theirs = EngineRecord.first("a", bytes("2"));
    assertThat(others.compareAndSet(Optional.empty(), theirs)).isTrue();
    assertThat(others.delete(mine)).isFalse();

    assertThat(records.read("a")).contains(mine);
    assertThat(records.list("")).containsExactly(mine);
    assertThat(others.list("")).containsExactly(theirs);
  }

  @Test
  final void listHasTheRecordsBelowAPrefixByName() throws Exception {
    EngineRecord second = created("pool.b", "2");
    EngineRecord first = created("pool.a", "1");
    EngineRecord other = created("disk.a", "3");

    assertThat(records.list("pool.")).containsExactly(first, second);
    assertThat(records.list("")).containsExactly(other, first, second);
    assertThat(records.list("none")).isEmpty();
  }

  @Test
  final void limitsAreKept() throws Exception {
    String longest = "n".repeat(EngineRecords.LONGEST_NAME);
    EngineRecord largest = EngineRecord.first(longest, new byte[EngineRecords.LARGEST_VALUE]);
    assertThat(records.compareAndSet(Optional.empty(), largest)).isTrue();
    assertThat(records.read(longest)).contains(largest);

    assertFails(
        ErrorCode.INVALID,
        () ->
            records.compareAndSet(
                Optional.of(largest), largest.next(new byte[EngineRecords.LARGEST_VALUE + 1])));
    for (String name : List.of("", "A", "a/b", ".a", "a..b", longest + "n")) {
      assertFails(ErrorCode.INVALID, () -> records.read(name));
      assertFails(
          ErrorCode.INVALID,
          () -> records.compareAndSet(Optional.empty(), EngineRecord.first(name, new byte[0])));
      assertFails(ErrorCode.INVALID, () -> records.delete(EngineRecord.first(name, new byte[0])));
    }
    assertFails(ErrorCode.INVALID, () -> records.list("A"));
    assertFails(ErrorCode.INVALID, () -> records.watch("a/", name -> {}));
    for (String engine : List.of("", "a.b", "A", "e".repeat(64))) {
      assertFails(ErrorCode.INVALID, () -> records(engine));
    }
  }

  @Test
  final void writeThatDoesNotFollowTheExpectedVersionIsRefused() throws Exception {
    EngineRecord first = created("a", "1");
    EngineRecord third = first.next(bytes("2")).next(bytes("3"));

    assertFails(ErrorCode.INVALID, () -> records.compareAndSet(Optional.of(first), third));
    assertFails(
        ErrorCode.INVALID,
        () -> records.compareAndSet(Optional.of(first), EngineRecord.first("b", bytes("2"))));
    assertFails(
        ErrorCode.INVALID,
        () ->
            records.compareAndSet(
                Optional.of(first), new EngineRecord("a", 2, first.writer(), bytes("2"))));

    assertThat(records.read("a")).contains(first);
  }

  @Test
  final void onlyOneOfManyWritersWins() throws Exception {
    EngineRecord first = created("a", "0");

    List<Boolean> won =
        Workers.run(
            WRITERS,
            worker -> records.compareAndSet(Optional.of(first), first.next(bytes("" + worker))));

    assertThat(won).containsOnlyOnce(true);
  }

  @Test
  final void counterLosesNoIncrement() throws Exception {
    created("counter", "0");
    Workers.run(
        WRITERS,
        worker -> {
          for (int i = 0; i < INCREMENTS; i++) {
            boolean done = false;
            while (!done) {
              EngineRecord seen = records.read("counter").orElseThrow();
              int count = Integer.parseInt(new String(seen.value(), UTF_8));
              done = records.compareAndSet(Optional.of(seen), seen.next(bytes("" + (count + 1))));
            }
          }
          return worker;
        });

    EngineRecord last = records.read("counter").orElseThrow();
    assertThat(new String(last.value(), UTF_8)).isEqualTo("" + WRITERS * INCREMENTS);
    assertThat(last.version()).isEqualTo(WRITERS * INCREMENTS + 1);
  }

  @Test
  final void watchReportsExistingRecordsAndChanges() throws Exception {
    EngineRecord there = created("pool.a", "1");
    created("disk.a", "1");
    BlockingQueue<String> reported = new LinkedBlockingQueue<>();
    EngineRecords.RecordWatch watch = records.watch("pool.", reported::add);
    try (watch) {
      assertThat(next(reported)).isEqualTo("pool.a");

      EngineRecord added = created("pool.b", "1");
      assertThat(next(reported)).isEqualTo("pool.b");
      assertThat(records.compareAndSet(Optional.of(added), added.next(bytes("2")))).isTrue();
      assertThat(next(reported)).isEqualTo("pool.b");
      assertThat(records.delete(there)).isTrue();
      assertThat(next(reported)).isEqualTo("pool.a");
      created("pool.a", "3");
      assertThat(next(reported)).isEqualTo("pool.a");
      created("disk.b", "1");
      created("pool.c", "1");
      assertThat(next(reported)).as("of this prefix").isEqualTo("pool.c");
    }
    created("pool.d", "1");
    assertThat(reported).isEmpty();
  }

  private static String next(BlockingQueue<String> reported) throws InterruptedException {
    return reported.poll(LIMIT_SECONDS, TimeUnit.SECONDS);
  }
}
