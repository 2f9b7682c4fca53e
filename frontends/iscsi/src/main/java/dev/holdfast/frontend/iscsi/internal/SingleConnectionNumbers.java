package dev.holdfast.frontend.iscsi.internal;

/**
 * Command numbers of a session with one connection, which preserves the order, so that no command
 * waits.
 */
final class SingleConnectionNumbers implements CommandNumbers {
  private int expected;
  private int active;

  SingleConnectionNumbers(int expected) {
    this(expected, 0);
  }

  /**
   * Creates numbers with commands already in flight.
   *
   * @param active number of commands with a place in the window
   */
  SingleConnectionNumbers(int expected, int active) {
    this.expected = expected;
    this.active = active;
  }

  @Override
  public synchronized boolean take(int cmdSn, boolean place) {
    boolean next = cmdSn == expected && active < WINDOW;
    if (next) {
      expected++;
      active += place ? 1 : 0;
    }
    return next;
  }

  @Override
  public boolean awaitTurn(int cmdSn) {
    return true;
  }

  @Override
  public synchronized void resumed() {
    active++;
  }

  @Override
  public synchronized void end() {
    active--;
  }

  @Override
  public synchronized int expCmdSn() {
    return expected;
  }

  @Override
  public synchronized int maxCmdSn() {
    return expected + WINDOW - 1 - active;
  }
}
