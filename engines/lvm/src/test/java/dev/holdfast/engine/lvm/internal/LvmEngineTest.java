package dev.holdfast.engine.lvm.internal;

import dev.holdfast.engine.testkit.EngineKit;
import dev.holdfast.engine.testkit.EngineLab;

class LvmEngineTest extends EngineKit {
  @Override
  protected EngineLab lab() {
    return new SimulatedLab();
  }
}
