package dev.holdfast.share;

/** State of a server's process. */
public enum ServerProcess {
  /** No process was started, or its end was orderly. */
  ABSENT,
  /** The process runs. */
  RUNNING,
  /** The process ended and is gone. */
  DEAD,
  /** The process was killed and the kernel holds it, with its port, until the device answers. */
  ZOMBIE
}
