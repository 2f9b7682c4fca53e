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

  /** Sets a change that is applied to the bytes of later writes. */
  public synchronized void change(UnaryOperator<EngineRecord> change) {
    changed = change;
  }

  /** Thrown to simulate the end of the process at a write. */
  public static final class Crash extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  /** Ends the process before or after a write; the first write has number 0. */
  public synchronized void crash(int number, boolean after) {
    writes = 0;
    crashAt = number;
    crashAfter = after;
  }

  /** Makes the next write take effect but fail with UNREACHABLE. */
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
