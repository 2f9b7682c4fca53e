package dev.holdfast.engine.lvm.blobs.internal.waits;

import dev.holdfast.engine.EngineRecord;
import dev.holdfast.engine.EngineRecords;
import dev.holdfast.engine.lvm.blobs.waits.PoolWait;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * Pools of shared groups that do not serve all writes, for the nodes that use them through another
 * one. The node on which a pool is active writes its state when that changes. Thread-safe.
 *
 * <p>A group has one record, which exists while it has such a pool: a line for each, with its name,
 * the node and the cause.
 */
public final class PoolShortages {
  private static final int ATTEMPTS = 8;
  private static final int FIELDS = 3;

  private final EngineRecords records;
  private final String node;
  private final Map<String, Map<String, Entry>> told = new ConcurrentHashMap<>();

  /** State of a pool. */
  private record Entry(String node, PoolWait.Cause cause) {}

  /** Tells the state of the pools that are active on a node. */
  public PoolShortages(EngineRecords records, String node) {
    this.records = records;
    this.node = node;
  }

  private static String record(String groupUuid) {
    return "full." + UUID.nameUUIDFromBytes(groupUuid.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Tells the other nodes the state of the pools that are active on this one.
   *
   * @throws StorageException when the store does not answer; the next call tells it
   */
  public void tell(String groupUuid, Iterable<PoolWait> waits) throws StorageException {
    Map<String, Entry> present = new TreeMap<>();
    for (PoolWait wait : waits) {
      present.put(wait.pool(), new Entry(node, wait.cause()));
    }
    if (present.equals(told.get(groupUuid))) {
      return;
    }
    for (int attempt = 1; !isWritten(record(groupUuid), present); attempt++) {
      if (attempt == ATTEMPTS) {
        throw new StorageException(
            ErrorCode.CONFLICT,
            "record " + record(groupUuid) + " is changed all the time: try again");
      }
    }
    told.put(groupUuid, present);
  }

  private boolean isWritten(String name, Map<String, Entry> present) throws StorageException {
    Optional<EngineRecord> stored = records.read(name);
    Map<String, Entry> before = stored.map(PoolShortages::parse).orElse(Map.of());
    Map<String, Entry> next = new TreeMap<>(before);
    next.values().removeIf(entry -> entry.node().equals(node));
    next.putAll(present);
    if (next.equals(before)) {
      return true;
    }
    if (stored.isPresent() && next.isEmpty()) {
      return records.delete(stored.get());
    }
    byte[] bytes = format(next);
    return records.compareAndSet(
        stored,
        stored.map(old -> old.next(bytes)).orElseGet(() -> EngineRecord.first(name, bytes)));
  }

  private static byte[] format(Map<String, Entry> entries) {
    return entries.entrySet().stream()
        .map(one -> one.getKey() + " " + one.getValue().node() + " " + one.getValue().cause())
        .collect(Collectors.joining("\n"))
        .getBytes(StandardCharsets.UTF_8);
  }

  /** Leaves out what a later version may have written. */
  private static Map<String, Entry> parse(EngineRecord stored) {
    Map<String, Entry> entries = new TreeMap<>();
    new String(stored.value(), StandardCharsets.UTF_8)
        .lines()
        .map(line -> line.split(" ", -1))
        .filter(words -> words.length == FIELDS)
        .forEach(
            words -> {
              for (PoolWait.Cause cause : PoolWait.Cause.values()) {
                if (cause.name().equals(words[2])) {
                  entries.put(words[0], new Entry(words[1], cause));
                }
              }
            });
    return entries;
  }

  /**
   * Returns why a pool does not serve all writes on the node on which it is active.
   *
   * @param pool name of its logical volume
   * @param on the node; what another node told earlier does not count
   */
  public Optional<PoolWait.Cause> cause(String groupUuid, String pool, String on)
      throws StorageException {
    return records
        .read(record(groupUuid))
        .map(stored -> parse(stored).get(pool))
        .filter(entry -> entry.node().equals(on))
        .map(Entry::cause);
  }
}
