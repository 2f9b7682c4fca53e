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
  /** The process runs, and its first health check has not succeeded yet. */
  STARTING,
  /** The process runs. */
  RUNNING,
  /** The process ended or could not be started, and is restarted after a wait. */
  BACKING_OFF,
  /** The process ended too often, and is not restarted until the next call that supervises it. */
  GAVE_UP,
  /** The process was stopped. */
  STOPPED
}
