package dev.holdfast.upgrader.internal;

/**
 * Request of a user to one node.
 *
 * @param id new for every request
 * @param action what to do
 * @param source what to upgrade to; unused by ROLLBACK
 * @param restart whether the container may be restarted
 */
record UpgradeRequest(String id, Action action, String source, boolean restart) {

  /** The kinds of requests. */
  enum Action {
    /** Show what would be done. */
    PLAN,
    /** Do it. */
    APPLY,
    /** Take the last that was done back. */
    ROLLBACK
  }

  UpgradeRequest {
    source = source == null ? "" : source;
  }
}
