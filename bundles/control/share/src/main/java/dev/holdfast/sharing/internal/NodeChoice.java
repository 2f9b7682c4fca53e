package dev.holdfast.sharing.internal;

import java.util.Optional;

/**
 * The node that can serve a share next.
 *
 * @param node its name; empty when no node can
 * @param why cause why no node can; empty otherwise
 */
record NodeChoice(Optional<String> node, String why) {
  static NodeChoice of(String node) {
    return new NodeChoice(Optional.of(node), "");
  }

  static NodeChoice none(String why) {
    return new NodeChoice(Optional.empty(), why);
  }

  /** Returns whether another node than this one can serve. */
  boolean isOtherThan(String present) {
    return node.filter(name -> !name.equals(present)).isPresent();
  }
}
