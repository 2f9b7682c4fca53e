package dev.holdfast.engine.sparse.internal.simulated;

import dev.holdfast.block.IoFlags;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.sparse.simulation.Scheduler;
import dev.holdfast.engine.sparse.simulation.Violation;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.BooleanSupplier;

/** Clients of a volume on any node that has it open, with the checker of each block. */
final class SimulatedClients {
  static final long SIZE = 40L << 20;
  static final int BLOCK = 4096;
  static final int BLOCKS = 4;
  private static final int MOST_LIVE = 4;

  /** An engine that serves or served. */
  static final class Served {
    private final SimulatedNode node;
    private final Scheduler.Incarnation process;
    private final OpenVolume volume;
    private final int order;
    private final Map<Integer, BlockChecker> writes = new HashMap<>();
    private final Map<Integer, BlockChecker> reads = new HashMap<>();
    private final Map<String, Long> since = new HashMap<>();
    private final long opened;
    private boolean failed;
    private boolean closed;

    Served(SimulatedNode node, OpenVolume volume, int order, long opened) {
      this.opened = opened;
      this.node = node;
      this.process = node.process();
      this.volume = volume;
      this.order = order;
    }

    OpenVolume volume() {
      return volume;
    }

    boolean alive() {
      return !failed && !process.dead();
    }

    SimulatedNode node() {
      return node;
    }

    int order() {
      return order;
    }

    Scheduler.Incarnation process() {
      return process;
    }

    void ended() {
      failed = true;
    }

    /** Records that the engine closes the volume. Unanswered requests may then be refused. */
    void closes() {
      failed = true;
      closed = true;
    }

    boolean closed() {
      return closed;
    }

    /** Records that a replica became current. */
    void current(String replica, long now) {
      since.put(replica, now);
    }

    /** Returns the time since which a replica was current. */
    long since(String replica) {
      return since.getOrDefault(replica, opened);
    }
  }

  private final Scheduler scheduler;
  private final Random random;
  private final Map<String, SimulatedNode> byReplica;
  private final SimulatedExcuses excuses;
  private final SimulatedBuffers buffers = new SimulatedBuffers();
  private final List<BlockChecker> blocks = new ArrayList<>();
  private BooleanSupplier reverting = () -> false;
  private int operations;
  private long nextValue = 1;
  private Served latest;
  private int salvagedBy;
  private int underWay;
  private long acknowledged;

  SimulatedClients(
      Scheduler scheduler,
      Random random,
      Map<String, SimulatedNode> byReplica,
      SimulatedExcuses excuses,
      boolean based) {
    this.scheduler = scheduler;
    this.random = random;
    this.byReplica = byReplica;
    this.excuses = excuses;
    for (int block = 0; block < BLOCKS; block++) {
      blocks.add(new BlockChecker(block, based ? SimulatedImage.first(block) : 0));
    }
  }

  long acknowledged() {
    return acknowledged;
  }

  /**
   * Sets the condition that the volume is being reverted. A scheduled request that has not begun by
   * then, because its process was paused, is dropped.
   */
  void notWhile(BooleanSupplier isReverting) {
    reverting = isReverting;
  }

  /** Returns the number of unanswered requests to running engines. */
  int underWay() {
    return underWay;
  }

  Served latest() {
    return latest;
  }

  List<BlockChecker> blocks() {
    return blocks;
  }

  static long position(int block) {
    return (long) block * (SIZE / BLOCKS) / BLOCK * BLOCK;
  }

  /** Returns whether an engine opened the volume later than all others. */
  boolean later(Served served) {
    return latest == null || served.order >= latest.order;
  }

  /**
   * Records that the latest engine serves. Earlier engines can execute no further requests.
   *
   * @param salvaged whether the volume was opened by a salvage
   * @param ofMembers whether the salvaged replicas are all members of the current epoch
   */
  void serves(Served served, boolean salvaged, boolean ofMembers) {
    if (latest != null) {
      latest.writes.forEach((operation, block) -> block.settle(operation));
      latest.reads.forEach((operation, block) -> block.forgetRead(operation));
    }
    latest = served;
    if (salvaged && ofMembers) {
      Map<String, Integer> chosen = holders(served);
      blocks.forEach(block -> block.lost(chosen));
    } else if (salvaged) {
      blocks.forEach(BlockChecker::salvaged);
      salvagedBy = served.order;
    }
    blocks.forEach(BlockChecker::durable);
    underWay = 0;
  }

  private boolean counts(Served served) {
    return served == latest;
  }

  private Map<String, Integer> holders(Served served) {
    Map<String, Integer> holders = new HashMap<>();
    served
        .volume
        .replicas()
        .forEach(
            (name, mode) -> {
              SimulatedNode node = byReplica.get(name);
              // A replica with an undecided removal stays a member, but an opening may not contact
              // it.
              boolean asked = excuses.recorded(node);
              if (mode == MemberMode.RW && !node.location().witness() && asked) {
                holders.put(name, node.memory());
              }
            });
    return holders;
  }

  void lost() {
    Map<String, Integer> boots = new HashMap<>();
    byReplica.forEach((name, node) -> boots.put(name, node.memory()));
    blocks.forEach(block -> block.lost(boots));
  }

  void brokenOff() {
    blocks.forEach(BlockChecker::brokenOff);
  }

  /** Sends a random request, on a thread of the engine's process. */
  void ask(Served served) {
    scheduler.start(served.process, () -> request(served, random.nextInt(BLOCKS)));
  }

  /** Writes a block. */
  void write(Served served, int block) {
    scheduler.start(served.process, () -> change(served, block, 1, IoFlags.NONE));
  }

  /** Writes a block and the next one, which is compared only at the end. */
  void writeTwo(Served served, int block) {
    scheduler.start(served.process, () -> change(served, block, 2, IoFlags.NONE));
  }

  /** Trims a block. */
  void trim(Served served, int block) {
    scheduler.start(served.process, () -> change(served, block, 0, IoFlags.NONE));
  }

  /** Flushes. */
  void flushAll(Served served) {
    scheduler.start(served.process, () -> flush(served));
  }

  /** Reads a block. */
  void read(Served served, int block) {
    scheduler.start(served.process, () -> readNow(served, block));
  }

  private void request(Served served, int block) {
    int kind = random.nextInt(16);
    if (blocks.get(block).crowded() || reverting.getAsBoolean()) {
      return;
    }
    if (kind < 7 && blocks.get(block).live() < MOST_LIVE) {
      if (kind == 1) {
        change(served, block, 0, IoFlags.NONE);
      } else {
        change(served, block, kind == 2 ? 2 : 1, kind == 0 ? IoFlags.FUA : IoFlags.NONE);
      }
    } else if (kind < 14) {
      readNow(served, block);
    } else {
      flush(served);
    }
  }

  // Writes a number of blocks, or trims for 0.
  private void change(Served served, int block, int count, int flags) {
    boolean trim = count == 0;
    long value = trim ? 0 : nextValue++;
    int operation = operations++;
    BlockChecker checker = blocks.get(block);
    int mark = checker.mark();
    if (counts(served)) {
      checker.write(operation, value);
    }
    served.writes.put(operation, checker);
    begun(served);
    Runnable acknowledge =
        () -> {
          served.writes.remove(operation);
          if (served.process.dead()) {
            return;
          }
          acknowledged++;
          // A salvage needs no other replica: an unreachable one stays, with its content.
          if (served.order < salvagedBy) {
            return;
          }
          checker.acknowledged(operation, holders(served));
          if (flags == IoFlags.FUA && counts(served)) {
            checker.durable(mark + 1);
          }
        };
    if (trim) {
      served
          .volume
          .device()
          .trim(
              position(block),
              BLOCK,
              flags,
              failure -> ended(served, operation, failure, acknowledge));
    } else {
      ByteBuffer content = buffers.take(count * BLOCK);
      while (content.hasRemaining()) {
        content.putLong(value);
      }
      served
          .volume
          .device()
          .write(
              position(block),
              content.flip(),
              flags,
              failure -> {
                buffers.give(content);
                ended(served, operation, failure, acknowledge);
              });
    }
  }

  private void ended(Served served, int operation, StorageException failure, Runnable acknowledge) {
    end(served, failure, acknowledge);
    if (failure != null && failure.code() == ErrorCode.NO_SPACE && counts(served)) {
      served.writes.remove(operation).failed(operation, holders(served));
    }
  }

  private void begun(Served served) {
    underWay += counts(served) ? 1 : 0;
  }

  // 12: each request completes once. 13: refusals only by the named conditions.
  private void end(Served served, StorageException failure, Runnable success) {
    if (failure != null && !served.process.dead() && !excuses.excused(served, failure)) {
      throw new Violation("a request failed: " + failure.code() + ", " + failure.getMessage());
    }
    if (counts(served)) {
      underWay--;
      if (underWay < 0) {
        throw new Violation("a request completed twice");
      }
    }
    scheduler.note(failure == null ? 3 : 5);
    if (failure == null) {
      success.run();
    }
  }

  private void readNow(Served served, int block) {
    int operation = operations++;
    BlockChecker checker = blocks.get(block);
    if (counts(served)) {
      if (served.reads.values().stream().filter(checker::equals).count() >= MOST_LIVE) {
        return;
      }
      checker.read(operation);
      served.reads.put(operation, checker);
    }
    begun(served);
    ByteBuffer target = buffers.take(BLOCK);
    served
        .volume
        .device()
        .read(
            position(block),
            target,
            failure -> {
              byte[] content = new byte[BLOCK];
              target.get(0, content);
              buffers.give(target);
              end(served, failure, () -> found(served, block, operation, content));
            });
  }

  private void found(Served served, int block, int operation, byte[] content) {
    BlockChecker asked = served.reads.remove(operation);
    if (counts(served) && asked != null) {
      blocks.get(block).found(operation, value(content), holders(served));
    }
  }

  private void flush(Served served) {
    int[] marks = blocks.stream().mapToInt(BlockChecker::mark).toArray();
    begun(served);
    served
        .volume
        .device()
        .flush(
            failure ->
                end(
                    served,
                    failure,
                    () -> {
                      for (int block = 0; counts(served) && block < BLOCKS; block++) {
                        blocks.get(block).durable(marks[block]);
                      }
                    }));
  }

  static long value(byte[] content) {
    ByteBuffer bytes = ByteBuffer.wrap(content);
    long value = bytes.getLong();
    while (bytes.hasRemaining()) {
      if (bytes.getLong() != value) {
        return BlockChecker.TORN;
      }
    }
    return value;
  }
}
