package dev.holdfast.engine.sparse.internal.chain;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

/** Model of a replica's snapshots: the kept ones, the removed ones, and those below the head. */
final class KeptSnapshots {
  /** The required state of a snapshot: its content, and the kept snapshots below it. */
  @SuppressWarnings("ArrayRecordComponent") // Never compared as a record.
  record Kept(long[] content, List<String> ancestors) {}

  private final Map<String, Kept> kept = new TreeMap<>();
  private final Set<String> givenUp = new HashSet<>();
  private List<String> below = List.of();

  /** Returns the kept snapshots by name. */
  Map<String, Kept> all() {
    return kept;
  }

  Kept get(String name) {
    return kept.get(name);
  }

  /** Returns the number of layers that snapshots occupy. */
  int count() {
    return kept.size() + givenUp.size();
  }

  void taken(String name, long[] content) {
    kept.put(name, new Kept(content.clone(), below));
    push(name);
  }

  /** Removes the newest snapshot, of an expansion, as if it had never been taken. */
  void withdrawn(String name) {
    below = kept.remove(name).ancestors();
  }

  void revertedTo(String name) {
    below = kept.get(name).ancestors();
    push(name);
  }

  void removed(String name) {
    kept.remove(name);
    givenUp.add(name);
    kept.replaceAll(
        (other, snapshot) -> new Kept(snapshot.content(), without(snapshot.ancestors(), name)));
    below = without(below, name);
  }

  /** Removes the removed snapshots whose layers are coalesced, because they occupy no layer. */
  void forget(Predicate<String> coalesced) {
    givenUp.removeIf(coalesced);
  }

  private void push(String name) {
    List<String> more = new ArrayList<>(below);
    more.add(name);
    below = more;
  }

  private static List<String> without(List<String> names, String name) {
    return names.stream().filter(other -> !other.equals(name)).toList();
  }
}
