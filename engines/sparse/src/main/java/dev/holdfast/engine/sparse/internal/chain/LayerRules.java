package dev.holdfast.engine.sparse.internal.chain;

import dev.holdfast.engine.sparse.internal.layout.LayerTree;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Rules for coalescing removed layers: those of Longhorn, and in addition a layer may be folded
 * into the head.
 */
final class LayerRules {
  /** The ways to treat a removed layer. */
  enum Fate {
    /** No layer stands on it: its files are removed. */
    LEAF,
    /** It and its only child become one file. */
    INTO_CHILD,
    /** Blocks that the head lacks are copied into it. */
    INTO_HEAD
  }

  /**
   * The next layer to coalesce.
   *
   * @param image its file
   * @param child the file of its only child, empty for a leaf
   * @param fate how it is coalesced
   */
  record Turn(String image, String child, Fate fate) {}

  private LayerRules() {}

  /**
   * Returns the next layer to coalesce; deterministic for a given tree. Leaves come first, the
   * head's parent last.
   *
   * @param locked files of layers that must stay as they are
   * @param resting files of layers whose content is not to be moved
   */
  static Optional<Turn> next(LayerTree tree, String head, Set<String> locked, Set<String> resting) {
    List<Turn> turns = new ArrayList<>();
    for (String image : tree.images()) {
      if (tree.meta(image).removed() && !image.equals(head) && !locked.contains(image)) {
        String child = tree.onlyChild(image);
        boolean rests = resting.contains(image) || resting.contains(child);
        if (tree.children(image).isEmpty()) {
          turns.add(new Turn(image, "", Fate.LEAF));
        } else if (!rests && child.equals(head)) {
          turns.add(new Turn(image, child, Fate.INTO_HEAD));
        } else if (!rests && !child.isEmpty() && !locked.contains(child)) {
          turns.add(new Turn(image, child, Fate.INTO_CHILD));
        }
      }
    }
    return turns.stream().min((one, other) -> one.fate().compareTo(other.fate()));
  }

  /** Returns the removed layers right below the head on which no other layer stands. */
  static List<String> loose(LayerTree tree, String head, Set<String> locked) {
    List<String> loose = new ArrayList<>();
    for (String image = tree.parent(head);
        !image.isEmpty()
            && tree.meta(image).removed()
            && tree.children(image).size() == 1
            && !locked.contains(image);
        image = tree.parent(image)) {
      loose.add(image);
    }
    return loose;
  }
}
