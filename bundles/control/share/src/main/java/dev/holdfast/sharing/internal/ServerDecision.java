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
    /** No effect. */
    NONE,
    /** Make the share usable for clients. */
    START,
    /** Unmount, check, mount, and start. */
    REPAIR,
    /** Grow the filesystem to the volume. */
    GROW,
    /** End the share cleanly. */
    STOP,
    /** Remove the share by force. */
    EXPEL
  }

  static ServerDecision nothing(ShareManagerStatus status) {
    return new ServerDecision(Action.NONE, status);
  }
}
