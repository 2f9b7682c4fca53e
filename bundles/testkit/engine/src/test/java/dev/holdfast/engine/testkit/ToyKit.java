package dev.holdfast.engine.testkit;

import dev.holdfast.engine.EngineProvider;

/** The kit on a toy engine; not named as a test, so that {@link ExportKitFindsTest} runs it. */
class ToyKit extends EngineKit {
  static final ThreadLocal<ToyFault> FAULT = ThreadLocal.withInitial(() -> ToyFault.NONE);

  @Override
  protected EngineLab lab() {
    ToyEngine.Machine machine = new ToyEngine.Machine(FAULT.get());
    return new EngineLab() {
      @Override
      public EngineProvider start() {
        return new ToyEngine(machine);
      }

      @Override
      public void stop(EngineProvider engine) throws Exception {
        machine.end();
      }

      @Override
      public void kill(EngineProvider engine) {
        ((ToyEngine) engine).kill();
      }
    };
  }
}
