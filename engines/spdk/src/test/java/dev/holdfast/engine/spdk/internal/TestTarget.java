package dev.holdfast.engine.spdk.internal;

import dev.holdfast.engine.spdk.simulator.SimulatedTarget;
import java.io.IOException;

/** A target of a test. The content of the disks survives its end. */
interface TestTarget {
  /** Ends the target as {@code kill -9} does. */
  void kill() throws IOException;

  /** Ends the target and removes its socket. */
  void close() throws IOException;

  /** Returns a simulated target. */
  static TestTarget of(SimulatedTarget simulated) {
    return new TestTarget() {
      @Override
      public void kill() throws IOException {
        simulated.kill();
      }

      @Override
      public void close() throws IOException {
        simulated.close();
      }
    };
  }
}
