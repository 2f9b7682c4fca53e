package dev.holdfast.store.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.holdfast.engine.EngineRecord;
import dev.holdfast.engine.EngineRecords;
import dev.holdfast.error.StorageException;
import dev.holdfast.store.ResourceStore;
import dev.holdfast.store.records.StoreEngineRecords;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/**
 * Runs several writers and readers of one record with random loss of answers, and checks that their
 * observations are linearizable. Versions order the writes, so the check needs no search. Each
 * version has one writer, each operation sees all operations that were complete before it began,
 * and the last version includes every successful write.
 */
public final class RecordHistory {
  private static final String RECORD = "counter";
  private static final String ENGINE = "histories";
  private static final int MOST_ATTEMPTS = 10_000;

  private final ResourceStore store;
  private final long seed;

  /**
   * Creates a history.
   *
   * @param store that serves the records, not null
   * @param seed of the lost answers
   */
  public RecordHistory(ResourceStore store, long seed) {
    this.store = store;
    this.seed = seed;
  }

  /** An operation with the version that it read or wrote. */
  private record Operation(
      long begin, long end, boolean write, boolean lost, EngineRecord version) {}

  /**
   * Runs the history.
   *
   * @param workers number of concurrent clients, each on its own node
   * @param operations of each client
   * @return the violations, empty if the history is linearizable; never null
   */
  public List<String> run(int workers, int operations) throws Exception {
    EngineRecord first = EngineRecord.first(RECORD, "0".getBytes(UTF_8));
    EngineRecords plain = new StoreEngineRecords(() -> store, ENGINE);
    if (!plain.compareAndSet(Optional.empty(), first)) {
      return List.of("the first version could not be written");
    }
    List<Operation> history = new ArrayList<>();
    Workers.run(workers, worker -> client(worker, operations)).forEach(history::addAll);
    return violations(history, plain.read(RECORD).orElseThrow());
  }

  private List<Operation> client(int worker, int operations) throws StorageException {
    Random random = new Random(seed * 31 + worker);
    ResourceStore faulty = new LossyStore(store, new Random(seed * 37 + worker));
    EngineRecords records = new StoreEngineRecords(() -> faulty, ENGINE);
    List<Operation> mine = new ArrayList<>();
    for (int i = 0; i < operations; i++) {
      long begin = System.nanoTime();
      EngineRecord seen = read(records);
      mine.add(new Operation(begin, System.nanoTime(), false, false, seen));
      if (random.nextBoolean()) {
        increment(records, seen).ifPresent(mine::add);
      }
    }
    return mine;
  }

  private static EngineRecord read(EngineRecords records) throws StorageException {
    for (int attempt = 0; ; attempt++) {
      try {
        return records.read(RECORD).orElseThrow();
      } catch (StorageException e) {
        requireAnotherAttempt(e, attempt);
      }
    }
  }

  /** Repeats one write until its result is known; empty if another write came first. */
  private static Optional<Operation> increment(EngineRecords records, EngineRecord seen)
      throws StorageException {
    int count = Integer.parseInt(new String(seen.value(), UTF_8)) + 1;
    EngineRecord next = seen.next(Integer.toString(count).getBytes(UTF_8));
    long begin = System.nanoTime();
    boolean lost = false;
    for (int attempt = 0; ; attempt++) {
      try {
        boolean done = records.compareAndSet(Optional.of(seen), next);
        return done || lost
            ? Optional.of(new Operation(begin, System.nanoTime(), done, !done, next))
            : Optional.empty();
      } catch (StorageException e) {
        requireAnotherAttempt(e, attempt);
        lost = true;
      }
    }
  }

  private static void requireAnotherAttempt(StorageException failure, int attempt)
      throws StorageException {
    boolean again =
        switch (failure.code()) {
          case UNREACHABLE, TIMEOUT -> attempt < MOST_ATTEMPTS;
          case NOT_FOUND,
              ALREADY_EXISTS,
              CONFLICT,
              INVALID,
              UNSUPPORTED,
              NO_SPACE,
              BUSY,
              EXPIRED,
              FORBIDDEN,
              IO,
              INTERNAL ->
              false;
        };
    if (!again) {
      throw failure;
    }
  }

  private static List<String> violations(List<Operation> history, EngineRecord last) {
    List<String> found = new ArrayList<>();
    Map<Long, EngineRecord> versions = new HashMap<>();
    for (Operation operation : history) {
      if (!operation.lost()) {
        EngineRecord other =
            versions.putIfAbsent(operation.version().version(), operation.version());
        if (other != null && !other.equals(operation.version())) {
          found.add("two writes have one version: " + other + " and " + operation.version());
        }
      }
    }
    for (Operation earlier : history) {
      for (Operation later : history) {
        if (!earlier.lost() && !later.lost() && earlier.end() < later.begin()) {
          long before = earlier.version().version();
          long after = later.version().version();
          if (later.write() ? after <= before : after < before) {
            found.add(later + " does not see " + earlier);
          }
        }
      }
    }
    long writes = history.stream().filter(Operation::write).count();
    long count = Long.parseLong(new String(last.value(), UTF_8));
    long lost = history.stream().filter(Operation::lost).count();
    if (count < writes || count > writes + lost || last.version() != count + 1) {
      found.add(
          "the last version is %s with count %d after %d writes and %d lost ones"
              .formatted(last, count, writes, lost));
    }
    return found;
  }
}
