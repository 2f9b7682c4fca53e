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
 * Checks the replies to clients of one block: there must be an order of its reads and writes, each
 * between its call and its answer, in which every read finds the latest write. Kept as the set of
 * all states in which the block may be. A loss of power may revert unflushed writes, if all
 * replicas with the write lost their memory.
 */
final class BlockChecker {
  /** A block of which some sectors are of one write and some of another. */
  static final long TORN = -1;

  private static final int MOST_STATES = 500;

  /** Values that were acknowledged or read last, their replicas and boots; all replicas if base. */
  private record Held(Set<Long> values, Map<String, Integer> holders) {}

  private final int block;
  private final Map<Integer, Long> live = new HashMap<>();
  private PossibleStates states = new PossibleStates();
  private final List<Set<Long>> watchers = new ArrayList<>();
  private List<Held> held = new ArrayList<>();
  private int base;
  // What the block held at any time, on any replica.
  private final Set<Long> ever = new HashSet<>();
  // What was the latest when a read began.
  private final Map<Integer, Integer> readMarks = new HashMap<>();
  private boolean rotten;

  /** A block that holds a value at first. */
  BlockChecker(int block, long first) {
    this.block = block;
    ever.add(0L);
    ever.add(first);
    states.add(new State(first, Set.of(), Map.of()));
    held.add(new Held(Set.of(first), Map.of()));
  }

  /** Returns how many writes may still take effect. */
  int live() {
    return live.size();
  }

  /** Returns whether so much is in doubt that one more request would take long to judge. */
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

  /** A write was answered with an error: it is done, not done or half done by now, on all. */
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
   * The block will be reverted at some later time. A snapshot that was called and not yet answered
   * may be made after that, for the engine orders the two as it likes.
   */
  void reverting(Set<Long> values) {
    watchers.forEach(watcher -> watcher.addAll(values));
  }

  /** The block was reverted, durably, to a value that it may have held once. */
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

  /** The block was perhaps reverted, or will be when the volume opens again. */
  void perhapsReverted(Set<Long> values) {
    close();
    possible(values);
    // If it was not, what was not flushed before is still in memory only, and can be lost or torn.
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

  /** Bits of it flip on one replica: later reads may return them, until it is scrubbed. */
  void rots() {
    rotten = true;
  }

  /**
   * After a salvage it has the content of a replica that was perhaps not current: any earlier
   * content.
   */
  void salvaged() {
    close();
    // A snapshot that was under way is perhaps made of that.
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
      // What a read found while a later write was acknowledged may be what was there before.
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

  /** The reply of a write will not arrive, or has become irrelevant. */
  void forgetWrite(int operation) {
    live.remove(operation);
    each(state -> state.withoutWrite(operation));
  }

  /** After this a write can have no new effect. */
  void settle(int operation) {
    close();
    live.remove(operation);
  }

  /** Returns where a flush that begins now will have everything durable up to. */
  int mark() {
    return base + held.size() - 1;
  }

  /** Everything up to a mark is durable on all members. */
  void durable(int mark) {
    while (base < mark && held.size() > 1) {
      held.remove(0);
      base++;
    }
  }

  /** All that the block may hold now is durable. */
  void durable() {
    close();
    base += held.size();
    held = new ArrayList<>(List.of(new Held(values(), Map.of())));
  }

  /** A process died, so a write may have been broken off in the midst. */
  void brokenOff() {
    ever.add(TORN);
    if (!live.isEmpty()) {
      possible(Set.of(TORN));
    }
  }

  /** A host lost its memory; boots are those of now. */
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
    // A write in doubt may be on one member only.
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

  // Any write that was called and not yet answered may take effect at any time.
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
