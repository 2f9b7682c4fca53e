package dev.holdfast.lvm.testkit;

import dev.holdfast.engine.EngineRecord;
import dev.holdfast.engine.EngineRecords;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** Records in memory whose writes can be lost or interrupted. Thread-safe. */
public final class MemoryRecords implements EngineRecords {
  private final Map<String, EngineRecord> records = new TreeMap<>();
  private int writes;
  private int crashAt = -1;
  private boolean crashAfter;
  private boolean losesAnswer;
  private UnaryOperator<EngineRecord> changed = record -> record;

  /** Lets records be written with other bytes than those that were asked for. */
  public synchronized void change(UnaryOperator<EngineRecord> change) {
    changed = change;
  }

  /** The process ends at a write of a record. */
  public static final class Crash extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  /** Ends the process before or after the write of a number, the first is 0. */
  public synchronized void crash(int number, boolean after) {
    writes = 0;
    crashAt = number;
    crashAfter = after;
  }

  /** Lets the next write take effect and answer UNREACHABLE. */
  public synchronized void loseAnswer() {
    losesAnswer = true;
  }

  private interface Write {
    boolean apply();
  }

  private synchronized boolean write(Write write) throws StorageException {
    boolean dies = writes++ == crashAt;
    if (dies && !crashAfter) {
      throw new Crash();
    }
    boolean done = write.apply();
    if (dies) {
      throw new Crash();
    }
    if (losesAnswer) {
      losesAnswer = false;
      throw new StorageException(ErrorCode.UNREACHABLE, "planted: the answer is lost");
    }
    return done;
  }

  @Override
  public synchronized Optional<EngineRecord> read(String name) {
    return Optional.ofNullable(records.get(name));
  }

  @Override
  public boolean compareAndSet(Optional<EngineRecord> expected, EngineRecord next)
      throws StorageException {
    return write(
        () -> {
          Optional<EngineRecord> present = read(next.name());
          if (present.equals(expected)) {
            records.put(next.name(), changed.apply(next));
          }
          return Optional.of(next).equals(read(next.name()));
        });
  }

  @Override
  public boolean delete(EngineRecord expected) throws StorageException {
    return write(
        () -> {
          if (expected.equals(records.get(expected.name()))) {
            records.remove(expected.name());
          }
          return !records.containsKey(expected.name());
        });
  }

  @Override
  public synchronized List<EngineRecord> list(String prefix) {
    return records.values().stream().filter(r -> r.name().startsWith(prefix)).toList();
  }

  @Override
  public RecordWatch watch(String prefix, Consumer<String> reported) {
    throw new UnsupportedOperationException();
  }
}
