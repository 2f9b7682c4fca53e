package dev.holdfast.vm.testkit;

/** The process of the code under test ends here, in a test of crashes. Only the test catches it. */
public final class HostCrash extends RuntimeException {
  private static final long serialVersionUID = 1L;

  HostCrash() {
    super("a planted crash");
  }
}
