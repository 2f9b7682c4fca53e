package dev.holdfast.processes;

/**
 * State of a supervised process.
 *
 * <pre>
 *   STARTING ──► RUNNING ──► BACKING_OFF ──► STARTING
 *       └────────────┴──────────► GAVE_UP        each ──stop──► STOPPED
 * </pre>
 */
public enum ProcessState {
  /** It runs, and its first health check has not succeeded yet. */
  STARTING,
  /** It runs. */
  RUNNING,
  /** It ended, or could not be started, and is started again after a wait. */
  BACKING_OFF,
  /** It ended too often, and is not restarted until the next call that supervises it. */
  GAVE_UP,
  /** It was stopped. */
  STOPPED
}
