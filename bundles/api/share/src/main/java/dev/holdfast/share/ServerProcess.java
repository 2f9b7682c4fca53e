package dev.holdfast.share;

/** State of a server's process. */
public enum ServerProcess {
  /** No process was started, or it was stopped in order. */
  ABSENT,
  /** The process is running. */
  RUNNING,
  /** The process ended and is gone. */
  DEAD,
  /** The process was killed, but the kernel holds it and its port until the device answers. */
  ZOMBIE
}
