package dev.holdfast.engine.spdk.internal;

import dev.holdfast.engine.testkit.EngineKit;
import dev.holdfast.engine.testkit.EngineLab;

/** The engine over a simulated target that outlives it. */
class SpdkEngineTest extends EngineKit {
  @Override
  protected EngineLab lab() {
    return new SpdkLab();
  }
}
