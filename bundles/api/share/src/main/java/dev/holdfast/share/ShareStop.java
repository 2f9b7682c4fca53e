package dev.holdfast.share;

/** Why a server stops. */
public enum ShareStop {
  /** The share ends: clients receive an error at once. */
  END,
  /**
   * Another node serves the share next: clients receive neither an error nor the end of their
   * connections, and the recovery records on the volume stay.
   */
  MOVE
}
