package dev.holdfast.engine.spdk.internal.process;

import dev.holdfast.engine.spdk.simulator.SimulatedProgram;
import java.nio.file.Path;

/** The simulator as a process. */
class SimulatedTargetProcessTest extends TargetProcessKit {
  @Override
  Path program(Path folder) throws Exception {
    return SimulatedProgram.script(folder);
  }
}
