package dev.holdfast.nvme.host.answer;

/** Access to a namespace by a path (asymmetric namespace access). */
public enum NvmeAccess {
  /** Commands are served. */
  OPTIMIZED,
  /** Commands are served, with lower performance. */
  NON_OPTIMIZED,
  /** Commands are refused until the state changes. */
  INACCESSIBLE,
  /** Commands are refused; the path does not return. */
  PERSISTENT_LOSS,
  /** The state is changing; commands are refused until it has changed. */
  CHANGE
}
