package dev.holdfast.controller.testkit;

/** Ends whatever a simulated node was doing when it died; not to be caught. */
final class ProcessDied extends Error {
  private static final long serialVersionUID = 1L;

  ProcessDied(String node) {
    super("node " + node + " died", null, false, false);
  }
}
