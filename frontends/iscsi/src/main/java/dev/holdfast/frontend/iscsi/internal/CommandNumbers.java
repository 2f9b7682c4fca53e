package dev.holdfast.frontend.iscsi.internal;

/**
 * Command numbers of a session: those received, and those that may be sent (RFC 7143, 4.2.2.1). A
 * command has a place in the window until its response. Thread-safe.
 */
interface CommandNumbers {
  /** Maximum number of commands in flight of an initiator. */
  int WINDOW = 128;

  /**
   * Waits until all commands before a number were taken; they may arrive on other connections.
   * Called by the connection's thread.
   *
   * @return false when they will not arrive, or the number itself was already taken
   */
  boolean awaitTurn(int cmdSn);

  /**
   * Takes a command if it is its turn; else waits as {@link #awaitTurn} does.
   *
   * @param place whether the command needs a place in the window
   * @return false when the command must not be executed
   */
  boolean take(int cmdSn, boolean place);

  /** Restores the place of a command that was taken before the session was parked. */
  void resumed();

  /** Frees the place of a command. */
  void end();

  /** Returns the next expected number. */
  int expCmdSn();

  /** Returns the highest permitted number. */
  int maxCmdSn();
}
