package dev.holdfast.engine.spdk.simulator.kit;

import java.nio.file.Path;

/** A real target, where one is named. */
@RealTarget
class RealHostTargetTest extends HostTargetKit {
  @Override
  TargetNodes nodes(Path folder) {
    return new RealTargetNodes(folder);
  }
}
