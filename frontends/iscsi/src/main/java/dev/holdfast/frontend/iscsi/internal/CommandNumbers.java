package dev.holdfast.frontend.iscsi.internal;

/**
 * Which commands of a session came, and which may come (RFC 7143, 4.2.2.1). A command takes a place
 * in the window until it is answered. Thread-safe.
 */
interface CommandNumbers {
  /** Commands that an initiator may have under way. */
  int WINDOW = 128;

  /**
   * Waits until all commands before a number were taken, which may come on other connections. On
   * the connection's thread.
   *
   * @return false when they will not come, or the number itself was taken already
   */
  boolean awaitTurn(int cmdSn);

  /**
   * Takes a command if it is its turn, else waits for that as {@link #awaitTurn} does.
   *
   * @param place whether it takes a place in the window
   * @return false when it is not to be done
   */
  boolean take(int cmdSn, boolean place);

  /** A command that was taken before the session was parked still has its place. */
  void resumed();

  /** A command leaves its place. */
  void end();

  /** Returns the number that is waited for. */
  int expCmdSn();

  /** Returns the highest number that may come. */
  int maxCmdSn();
}
