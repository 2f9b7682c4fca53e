package dev.holdfast.backup.internal.system;

import dev.holdfast.resource.backup.RestoredKind;

/**
 * Outcome of a restore for one item.
 *
 * @param kind of the item
 * @param result the result
 * @param why cause of the failure; empty for other results
 */
record ItemOutcome(String kind, Result result, String why) {
  /** Kind of an outcome. */
  enum Result {
    /** This restore created or changed the item. */
    RESTORED,
    /** The item existed, and is not changed. */
    EXISTING,
    /** The item is not restored by design. */
    SKIPPED,
    /** The item cannot be restored. */
    FAILED
  }

  static ItemOutcome of(String kind, Result result) {
    return new ItemOutcome(kind, result, "");
  }

  static ItemOutcome failed(String kind, String name, String why) {
    return new ItemOutcome(kind, Result.FAILED, kind + " " + name + ": " + why);
  }

  /** Returns the counts of a kind with this outcome. */
  RestoredKind addedTo(RestoredKind counts) {
    return switch (result) {
      case RESTORED -> counts.withRestored(counts.restored() + 1);
      case EXISTING -> counts.withExisting(counts.existing() + 1);
      case SKIPPED -> counts.withSkipped(counts.skipped() + 1);
      case FAILED -> counts.withFailed(counts.failed() + 1);
    };
  }
}
