package dev.holdfast.sharing.internal;

import java.util.Optional;

/**
 * The node that can serve a share next.
 *
 * @param node its name; empty if no node can serve
 * @param why the reason why no node can serve; empty otherwise
 */
record NodeChoice(Optional<String> node, String why) {
  static NodeChoice of(String node) {
    return new NodeChoice(Optional.of(node), "");
  }

  static NodeChoice none(String why) {
    return new NodeChoice(Optional.empty(), why);
  }

  /** Returns whether a node other than the given one can serve. */
  boolean isOtherThan(String present) {
    return node.filter(name -> !name.equals(present)).isPresent();
  }
}
