package dev.holdfast.controller.testkit;

/** Ends the running call of a simulated node that died; must not be caught. */
final class ProcessDied extends Error {
  private static final long serialVersionUID = 1L;

  ProcessDied(String node) {
    super("node " + node + " died", null, false, false);
  }
}
