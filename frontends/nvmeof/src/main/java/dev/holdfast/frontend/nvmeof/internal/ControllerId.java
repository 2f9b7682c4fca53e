package dev.holdfast.frontend.nvmeof.internal;

/**
 * Which controller of which subsystem.
 *
 * @param subsystem its NQN
 * @param number of the controller in it
 */
record ControllerId(String subsystem, int number) {
  boolean discovery() {
    return subsystem.equals(Names.DISCOVERY);
  }

  @Override
  public String toString() {
    return subsystem + " controller " + number;
  }
}
