package dev.holdfast.upgrader.internal;

/**
 * One bundle of an operation, with all that is needed to continue or go back after a kill.
 *
 * @param bundle its symbolic name
 * @param kind frontend, engine, attacher or platform
 * @param way how it is replaced
 * @param pause readable description of the effect on clients
 * @param jar where the new content is kept; empty for {@link ReplacementStrategy#REMOVE}
 * @param version of the new content
 * @param before where the old content is kept; empty when there was none
 * @param versionBefore of the old content; empty when there was none
 * @param level the start level
 * @param state how far it is
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

  /** How far a step is. */
  enum State {
    /** Nothing was done. */
    PLANNED,
    /** It may have been done partly. */
    RUNNING,
    /** The new content is there. */
    DONE,
    /** The old content is there again. */
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
