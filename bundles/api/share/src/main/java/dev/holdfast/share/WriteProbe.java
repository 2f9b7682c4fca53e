package dev.holdfast.share;

/** Result of a bounded write to the filesystem of a share. */
public enum WriteProbe {
  /** The filesystem is not mounted. */
  NOT_MOUNTED,
  /** One file was written and is durable. */
  WRITTEN,
  /** The filesystem is full. It serves reads, and writes fail with "no space left". */
  FULL,
  /** The filesystem is read-only, or writes fail. */
  FAILED,
  /** The write did not end in time. */
  TIMED_OUT
}
