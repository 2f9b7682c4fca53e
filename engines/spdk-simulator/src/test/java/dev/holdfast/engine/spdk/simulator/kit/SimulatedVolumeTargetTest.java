package dev.holdfast.engine.spdk.simulator.kit;

import java.nio.file.Path;

/** The simulator. */
class SimulatedVolumeTargetTest extends VolumeTargetKit {
  @Override
  TargetNodes nodes(Path folder) {
    return new SimulatedTargetNodes(folder);
  }
}
