package dev.holdfast.engine.sparse.internal.simulated;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * All possible states of a block. Of two states that differ only in the possible results of pending
 * reads, the one with fewer results is omitted, because the other permits all of these results too.
 */
final class PossibleStates {
  /**
   * Possible value of the block, the pending writes in it, and the values that pending reads may
   * find.
   */
  record State(long value, Set<Integer> applied, Map<Integer, Set<Long>> seen) {
    State after(int write, long written) {
      Set<Integer> more = new HashSet<>(applied);
      more.add(write);
      return new State(written, more, alsoSeen(written));
    }

    State holding(long other) {
      return new State(other, applied, alsoSeen(other));
    }

    State withRead(int read) {
      Map<Integer, Set<Long>> next = new HashMap<>(seen);
      next.put(read, Set.of(value));
      return new State(value, applied, next);
    }

    State withoutRead(int read) {
      Map<Integer, Set<Long>> next = new HashMap<>(seen);
      next.remove(read);
      return new State(value, applied, next);
    }

    State withoutWrite(int write) {
      Set<Integer> fewer = new HashSet<>(applied);
      fewer.remove(write);
      return new State(value, fewer, seen);
    }

    private Map<Integer, Set<Long>> alsoSeen(long found) {
      Map<Integer, Set<Long>> next = new HashMap<>();
      seen.forEach(
          (read, values) -> {
            Set<Long> more = new HashSet<>(values);
            more.add(found);
            next.put(read, more);
          });
      return next;
    }

    private boolean allowsAllOf(State other) {
      return other.seen.entrySet().stream()
          .allMatch(read -> seen.get(read.getKey()).containsAll(read.getValue()));
    }
  }

  private record Content(long value, Set<Integer> applied) {}

  private final Map<Content, List<State>> states = new LinkedHashMap<>();

  static PossibleStates of(List<State> states) {
    PossibleStates all = new PossibleStates();
    states.forEach(all::add);
    return all;
  }

  /** Adds a state. Returns whether it permits results that no earlier state permits. */
  boolean add(State state) {
    List<State> alike =
        states.computeIfAbsent(
            new Content(state.value(), state.applied()), content -> new ArrayList<>());
    if (alike.stream().anyMatch(known -> known.allowsAllOf(state))) {
      return false;
    }
    alike.removeIf(state::allowsAllOf);
    return alike.add(state);
  }

  List<State> all() {
    return states.values().stream().flatMap(List::stream).toList();
  }

  int count() {
    return states.values().stream().mapToInt(List::size).sum();
  }

  Set<Long> values() {
    Set<Long> values = new HashSet<>();
    states.keySet().forEach(content -> values.add(content.value()));
    return values;
  }
}
