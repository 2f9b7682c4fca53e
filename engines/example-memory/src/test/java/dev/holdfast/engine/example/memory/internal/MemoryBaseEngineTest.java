package dev.holdfast.engine.example.memory.internal;

import dev.holdfast.engine.EngineProvider;
import dev.holdfast.engine.testkit.EngineKit;
import dev.holdfast.engine.testkit.EngineLab;

/** The kit, its part about bases above all, on an engine that keeps no files. */
class MemoryBaseEngineTest extends EngineKit {

  private static final class Lab implements EngineLab {
    @Override
    public EngineProvider start() {
      return new MemoryBaseEngine(MemoryBaseEngine.Mistake.NONE);
    }

    @Override
    public void stop(EngineProvider engine) {}

    @Override
    public void kill(EngineProvider engine) {}
  }

  @Override
  protected EngineLab lab() {
    return new Lab();
  }
}
