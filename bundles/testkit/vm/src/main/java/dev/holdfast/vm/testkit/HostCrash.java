package dev.holdfast.vm.testkit;

/** Simulates the end of the process of the code under test. Only the test catches it. */
public final class HostCrash extends RuntimeException {
  private static final long serialVersionUID = 1L;

  HostCrash() {
    super("a planted crash");
  }
}
