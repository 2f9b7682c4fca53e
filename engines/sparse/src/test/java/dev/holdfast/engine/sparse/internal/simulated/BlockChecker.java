package dev.holdfast.engine.sparse.internal.simulated;

import dev.holdfast.engine.sparse.internal.simulated.PossibleStates.State;
import dev.holdfast.engine.sparse.simulation.Violation;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * Checks the replies to clients of one block: an order of its reads and writes must exist, each
 * between its call and its answer, in which every read finds the latest write. The checker keeps
 * the set of all possible states of the block. A loss of power may revert unflushed writes, if all
 * replicas with the write lost their memory.
 */
final class BlockChecker {
  /** Value of a block with sectors of two writes. */
  static final long TORN = -1;

  private static final int MOST_STATES = 500;

  /**
   * Values that were acknowledged or read last, with their replicas and boots; all replicas for the
   * base.
   */
  private record Held(Set<Long> values, Map<String, Integer> holders) {}

  private final int block;
  private final Map<Integer, Long> live = new HashMap<>();
  private PossibleStates states = new PossibleStates();
  private final List<Set<Long>> watchers = new ArrayList<>();
  private List<Held> held = new ArrayList<>();
  private int base;
  // All values that the block had at any time on any replica.
  private final Set<Long> ever = new HashSet<>();
  // The latest value when a read began.
  private final Map<Integer, Integer> readMarks = new HashMap<>();
  private boolean rotten;

  /** Creates the checker of a block with a first value. */
  BlockChecker(int block, long first) {
    this.block = block;
    ever.add(0L);
    ever.add(first);
    states.add(new State(first, Set.of(), Map.of()));
    held.add(new Held(Set.of(first), Map.of()));
  }

  /** Returns the number of writes that may still take effect. */
  int live() {
    return live.size();
  }

  /** Returns whether so many requests are undecided that checking one more would take long. */
  boolean crowded() {
    return states.count() > MOST_STATES;
  }

  void write(int operation, long value) {
    live.put(operation, value);
    ever.add(value);
    watchers.forEach(watcher -> watcher.add(value));
  }

  /** Returns a set that collects all later possible contents of the block, until the watch ends. */
  Set<Long> watch() {
    close();
    Set<Long> watched = values();
    watchers.add(watched);
    return watched;
  }

  void unwatch(Set<Long> watched) {
    watchers.removeIf(watcher -> watcher == watched);
  }

  /**
   * Records a write that failed: on all replicas it is now executed completely, partly or not at
   * all.
   */
  void failed(int operation, Map<String, Integer> holders) {
    if (!live.containsKey(operation)) {
      return;
    }
    close();
    ever.add(TORN);
    possible(Set.of(TORN));
    forgetWrite(operation);
    Held top = held.get(held.size() - 1);
    Set<Long> now = values();
    now.addAll(top.values());
    held.add(new Held(now, holders));
  }

  /**
   * Records that the block will be reverted later. An unanswered snapshot may be taken after that,
   * because the engine may order the two freely.
   */
  void reverting(Set<Long> values) {
    watchers.forEach(watcher -> watcher.addAll(values));
  }

  /** Records that the block was durably reverted to one of its earlier values. */
  void reverted(Set<Long> values) {
    close();
    PossibleStates next = new PossibleStates();
    for (State state : states.all()) {
      values.forEach(value -> next.add(state.holding(value)));
    }
    states = next;
    base += held.size();
    held = new ArrayList<>(List.of(new Held(values(), Map.of())));
  }

  /** Records that the block was possibly reverted, or will be at the next opening of the volume. */
  void perhapsReverted(Set<Long> values) {
    close();
    possible(values);
    // If it was not reverted, unflushed data is still in memory only, and can be lost or torn.
    held.replaceAll(
        one -> {
          Set<Long> any = new HashSet<>(values);
          any.addAll(one.values());
          return new Held(any, one.holders());
        });
  }

  void acknowledged(int operation, Map<String, Integer> holders) {
    close();
    retain(
        state -> state.applied().contains(operation), "a write was acknowledged by an old engine");
    forgetWrite(operation);
    held.add(new Held(values(), holders));
  }

  void read(int operation) {
    readMarks.put(operation, mark());
    each(state -> state.withRead(operation));
  }

  /**
   * Records that bits of the block flip on one replica. Later reads may return them until a scrub.
   */
  void rots() {
    rotten = true;
  }

  /**
   * Records a salvage: the block has the content of a replica that was possibly not current, so any
   * earlier content is permitted.
   */
  void salvaged() {
    close();
    // A snapshot in progress may contain that value.
    watchers.forEach(watcher -> watcher.addAll(ever));
    states = new PossibleStates();
    ever.forEach(value -> states.add(new State(value, Set.of(), Map.of())));
    live.clear();
  }

  void found(int operation, long value, Map<String, Integer> holders) {
    if (rotten && value == TORN) {
      forgetRead(operation);
      return;
    }
    close();
    retain(state -> state.seen().get(operation).contains(value), "a read found " + value);
    boolean overtaken = readMarks.get(operation) < mark();
    forgetRead(operation);
    Held top = held.get(held.size() - 1);
    if (top.values().contains(value)) {
      // A read that overlapped with an acknowledged write may have found the earlier value.
      if (overtaken) {
        return;
      }
      held.set(held.size() - 1, new Held(Set.of(value), top.holders()));
    } else {
      held.add(new Held(Set.of(value), holders));
    }
  }

  void forgetRead(int operation) {
    readMarks.remove(operation);
    each(state -> state.withoutRead(operation));
  }

  /** Forgets a write whose reply will not arrive or is irrelevant. */
  void forgetWrite(int operation) {
    live.remove(operation);
    each(state -> state.withoutWrite(operation));
  }

  /** Records that a write can have no further effect. */
  void settle(int operation) {
    close();
    live.remove(operation);
  }

  /** Returns the mark up to which a flush that begins now makes all writes durable. */
  int mark() {
    return base + held.size() - 1;
  }

  /** Records that all writes up to a mark are durable on all members. */
  void durable(int mark) {
    while (base < mark && held.size() > 1) {
      held.remove(0);
      base++;
    }
  }

  /** Records that all possible current values of the block are durable. */
  void durable() {
    close();
    base += held.size();
    held = new ArrayList<>(List.of(new Held(values(), Map.of())));
  }

  /** Records that a process died, so that a write may have been interrupted. */
  void brokenOff() {
    ever.add(TORN);
    if (!live.isEmpty()) {
      possible(Set.of(TORN));
    }
  }

  /** Records that a host lost its memory. The boots are the current ones. */
  void lost(Map<String, Integer> boots) {
    close();
    ever.add(TORN);
    Set<Long> back = new HashSet<>();
    for (int at = held.size() - 1; at > 0; at--) {
      Map<String, Integer> holders = held.get(at).holders();
      if (holders.entrySet().stream()
          .anyMatch(on -> on.getValue().equals(boots.get(on.getKey())))) {
        break;
      }
      back.addAll(held.get(at - 1).values());
      back.add(TORN);
    }
    // An undecided write may be on one member only.
    if (!live.isEmpty() || !back.isEmpty()) {
      back.addAll(held.get(held.size() - 1).values());
      back.add(TORN);
    }
    possible(back);
  }

  private void possible(Set<Long> values) {
    watchers.forEach(watcher -> watcher.addAll(values));
    for (State state : states.all()) {
      values.forEach(value -> states.add(state.holding(value)));
    }
  }

  Set<Long> values() {
    return states.values();
  }

  private void each(UnaryOperator<State> change) {
    states = PossibleStates.of(states.all().stream().map(change).toList());
  }

  // Adds the states in which unanswered writes have taken effect, which may happen at any time.
  private void close() {
    Deque<State> open = new ArrayDeque<>(states.all());
    while (!open.isEmpty()) {
      State state = open.pop();
      for (Map.Entry<Integer, Long> write : live.entrySet()) {
        if (!state.applied().contains(write.getKey())) {
          State next = state.after(write.getKey(), write.getValue());
          if (states.add(next)) {
            open.push(next);
          }
        }
      }
    }
  }

  private void retain(Predicate<State> holds, String what) {
    List<State> left = states.all().stream().filter(holds).toList();
    if (left.isEmpty()) {
      throw new Violation("block " + block + ": " + what + ", possible are " + values());
    }
    states = PossibleStates.of(left);
  }
}
