package dev.holdfast.upgrader.internal;

/**
 * One bundle of an operation, with all data that is needed to continue or roll back after a kill.
 *
 * @param bundle symbolic name of the bundle
 * @param kind frontend, engine, attacher or platform
 * @param way method of replacement
 * @param pause readable description of the effect on clients
 * @param jar path of the new content; empty for {@link ReplacementStrategy#REMOVE}
 * @param version of the new content
 * @param before path of the old content; empty if none
 * @param versionBefore version of the old content; empty if none
 * @param level the start level
 * @param state progress of the step
 */
record UpgradeStep(
    String bundle,
    String kind,
    ReplacementStrategy way,
    String pause,
    String jar,
    String version,
    String before,
    String versionBefore,
    int level,
    State state) {

  /** Progress of a step. */
  enum State {
    /** The step has not begun. */
    PLANNED,
    /** The step may be partly executed. */
    RUNNING,
    /** The new content is installed. */
    DONE,
    /** The old content is installed again. */
    UNDONE
  }

  UpgradeStep in(State now) {
    return new UpgradeStep(
        bundle, kind, way, pause, jar, version, before, versionBefore, level, now);
  }

  /** Returns whether the step has changes to roll back. */
  boolean hasBegun() {
    return state == State.RUNNING || state == State.DONE;
  }
}
