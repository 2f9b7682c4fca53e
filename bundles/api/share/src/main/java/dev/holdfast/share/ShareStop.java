package dev.holdfast.share;

/** Reason of a server's stop. */
public enum ShareStop {
  /** The share ends. Clients receive an error at once. */
  END,
  /**
   * Another node serves the share next. Clients receive no error and keep their connections, and
   * the recovery records on the volume remain.
   */
  MOVE
}
