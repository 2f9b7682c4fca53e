package dev.holdfast.upgrader.internal;

/**
 * Request of a user to one node.
 *
 * @param id identifier, unique for every request
 * @param action requested action
 * @param source target of the upgrade; unused by ROLLBACK
 * @param restart whether the container may be restarted
 */
record UpgradeRequest(String id, Action action, String source, boolean restart) {

  /** The kinds of requests. */
  enum Action {
    /** Show the plan. */
    PLAN,
    /** Execute the upgrade. */
    APPLY,
    /** Undo the last completed operation. */
    ROLLBACK
  }

  UpgradeRequest {
    source = source == null ? "" : source;
  }
}
