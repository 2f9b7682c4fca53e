package dev.holdfast.client;

import java.util.List;

/**
 * A requested replacement of bundles.
 *
 * @param action requested action
 * @param source a file that every node can read, or Maven coordinates; empty for ROLLBACK
 * @param restart whether containers may be restarted
 * @param nodes nodes in order; empty for all nodes of the cluster
 */
public record UpgradeOrder(Action action, String source, boolean restart, List<String> nodes) {

  /** The kinds of replacements. */
  public enum Action {
    /** Show the plan. */
    PLAN,
    /** Execute the replacement. */
    APPLY,
    /** Undo the last completed replacement. */
    ROLLBACK
  }

  /** Copies the list. */
  public UpgradeOrder {
    nodes = List.copyOf(nodes);
  }
}
