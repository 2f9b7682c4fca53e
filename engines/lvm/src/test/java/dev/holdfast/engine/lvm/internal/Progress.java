package dev.holdfast.engine.lvm.internal;

import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;

/** Prints the result and the duration of each test. */
final class Progress implements TestExecutionListener {
  private long started = System.nanoTime();

  @Override
  public void executionStarted(TestIdentifier test) {
    if (test.isTest()) {
      started = System.nanoTime();
    }
  }

  @Override
  public void executionFinished(TestIdentifier test, TestExecutionResult result) {
    if (test.isTest()) {
      System.out.printf(
          "%s %s after %d ms%n",
          test.getDisplayName(), result.getStatus(), (System.nanoTime() - started) / 1_000_000);
    }
  }
}
