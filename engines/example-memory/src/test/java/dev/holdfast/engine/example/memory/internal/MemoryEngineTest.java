package dev.holdfast.engine.example.memory.internal;

import dev.holdfast.engine.EngineProvider;
import dev.holdfast.engine.testkit.EngineKit;
import dev.holdfast.engine.testkit.EngineLab;

class MemoryEngineTest extends EngineKit {
  @Override
  protected EngineLab lab() {
    return new EngineLab() {
      @Override
      public EngineProvider start() {
        return new MemoryEngine();
      }

      @Override
      public void stop(EngineProvider engine) {}

      @Override
      public void kill(EngineProvider engine) {}
    };
  }
}
