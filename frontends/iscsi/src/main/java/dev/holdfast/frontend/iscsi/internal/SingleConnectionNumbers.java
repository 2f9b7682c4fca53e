package dev.holdfast.frontend.iscsi.internal;

/** The numbers of a session with one connection, which keeps the order: nothing is waited for. */
final class SingleConnectionNumbers implements CommandNumbers {
  private int expected;
  private int active;

  SingleConnectionNumbers(int expected) {
    this(expected, 0);
  }

  /**
   * Numbers with commands under way already.
   *
   * @param active how many have a place in the window
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
