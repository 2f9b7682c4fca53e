package dev.holdfast.engine.spdk.simulator.kit;

import java.nio.file.Path;

/** The simulator. */
class SimulatedMirrorTargetTest extends MirrorTargetKit {
  @Override
  TargetNodes nodes(Path folder) {
    return new SimulatedTargetNodes(folder);
  }
}
