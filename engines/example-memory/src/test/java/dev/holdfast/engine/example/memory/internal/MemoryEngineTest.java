package dev.holdfast.engine.example.memory.internal;

import dev.holdfast.engine.Engine;
import dev.holdfast.engine.testkit.EngineKit;
import dev.holdfast.engine.testkit.EngineLab;

class MemoryEngineTest extends EngineKit {
  @Override
  protected EngineLab lab() {
    return new EngineLab() {
      @Override
      public Engine start() {
        return new MemoryEngine();
      }

      @Override
      public void stop(Engine engine) {}

      @Override
      public void kill(Engine engine) {}
    };
  }
}
