package dev.holdfast.client;

import java.util.List;

/**
 * Replacement that a user requests.
 *
 * @param action what to do
 * @param source a file that every node can read, or Maven coordinates; empty for ROLLBACK
 * @param restart whether containers may be restarted
 * @param nodes in this order; empty for all nodes of the cluster
 */
public record UpgradeOrder(Action action, String source, boolean restart, List<String> nodes) {

  /** The kinds of replacements. */
  public enum Action {
    /** Show what would be done. */
    PLAN,
    /** Do it. */
    APPLY,
    /** Take the last that was done back. */
    ROLLBACK
  }

  /** Copies the list. */
  public UpgradeOrder {
    nodes = List.copyOf(nodes);
  }
}
