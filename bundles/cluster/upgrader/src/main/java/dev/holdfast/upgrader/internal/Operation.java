package dev.holdfast.upgrader.internal;

import java.util.ArrayList;
import java.util.List;

/**
 * Operation that a user requested, and its progress.
 *
 * @param id of the request
 * @param source what is upgraded to, or which command was used
 * @param state how far it is
 * @param started when, as ISO 8601
 * @param ended when; empty before
 * @param reason why it was refused or rolled back; empty otherwise
 * @param undoes the operation that this one undoes; empty when it is none
 * @param steps in their order
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

  /** How far an operation is. */
  enum State {
    /** Nothing was done, nor will be: it was only to be shown. */
    PLANNED,
    /** Nothing was done, for the reason given. */
    REFUSED,
    /** Steps are being done. */
    RUNNING,
    /** The container is to start with the new content. */
    RESTARTING,
    /** The container has started with the new content, which is being watched. */
    VERIFYING,
    /** The container is to start with the old content again. */
    REVERTING,
    /** All is there, and well. */
    DONE,
    /** It failed, and all is as before. */
    WENT_BACK,
    /** It failed, and going back failed too. */
    FAILED,
    /** It was completed, and later rolled back. */
    ROLLED_BACK,
    /** The distribution was replaced before the end: the new one decides what runs. */
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
