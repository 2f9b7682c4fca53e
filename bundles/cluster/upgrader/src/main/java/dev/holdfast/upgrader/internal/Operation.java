package dev.holdfast.upgrader.internal;

import java.util.ArrayList;
import java.util.List;

/**
 * Operation that a user requested, and its progress.
 *
 * @param id identifier of the request
 * @param source target of the upgrade, or the command that was used
 * @param state progress of the operation
 * @param started start time in ISO 8601
 * @param ended end time; empty before the end
 * @param reason reason of a refusal or rollback; otherwise empty
 * @param undoes identifier of the operation that this operation undoes; otherwise empty
 * @param steps steps in order
 */
record Operation(
    String id,
    String source,
    State state,
    String started,
    String ended,
    String reason,
    String undoes,
    List<UpgradeStep> steps) {

  /** Progress of an operation. */
  enum State {
    /** No step was or will be run: the plan was only shown. */
    PLANNED,
    /** No step was run, for the given reason. */
    REFUSED,
    /** Steps are running. */
    RUNNING,
    /** The container will start with the new content. */
    RESTARTING,
    /** The container has started with the new content, which is being checked. */
    VERIFYING,
    /** The container will start with the old content again. */
    REVERTING,
    /** All steps were completed successfully. */
    DONE,
    /** The operation failed and was rolled back. */
    WENT_BACK,
    /** The operation failed, and the rollback failed too. */
    FAILED,
    /** The operation was completed, and later rolled back. */
    ROLLED_BACK,
    /**
     * The distribution was replaced before the end of the operation: the new distribution
     * determines the bundles.
     */
    ABANDONED;

    boolean isFinal() {
      return switch (this) {
        case RUNNING, RESTARTING, VERIFYING, REVERTING -> false;
        case PLANNED, REFUSED, DONE, WENT_BACK, FAILED, ROLLED_BACK, ABANDONED -> true;
      };
    }
  }

  Operation {
    steps = List.copyOf(steps);
  }

  Operation in(State now) {
    return new Operation(id, source, now, started, ended, reason, undoes, steps);
  }

  Operation ended(State now, String when, String why) {
    return new Operation(id, source, now, started, when, why, undoes, steps);
  }

  Operation with(int index, UpgradeStep.State now) {
    List<UpgradeStep> changed = new ArrayList<>(steps);
    changed.set(index, steps.get(index).in(now));
    return new Operation(id, source, state, started, ended, reason, undoes, changed);
  }
}
