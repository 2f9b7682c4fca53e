package dev.holdfast.sharing.internal;

import dev.holdfast.share.ShareManagerStatus;

/**
 * Decision of a share's node.
 *
 * @param action effect on the server, after the status is recorded
 * @param status to record first
 */
record ServerDecision(Action action, ShareManagerStatus status) {
  /** Effects on a server. */
  enum Action {
    /** Nothing. */
    NONE,
    /** Bring the share to the state in which clients can use it. */
    START,
    /** Unmount, check, mount, and start. */
    REPAIR,
    /** Grow the filesystem to the volume. */
    GROW,
    /** End the share in order. */
    STOP,
    /** Remove the share by force. */
    EXPEL
  }

  static ServerDecision nothing(ShareManagerStatus status) {
    return new ServerDecision(Action.NONE, status);
  }
}
