package ${package};

import dev.holdfast.engine.EngineProvider;
import dev.holdfast.engine.testkit.EngineKit;
import dev.holdfast.engine.testkit.EngineLab;
import dev.holdfast.error.StorageException;

/** The conformance kit. */
class FileEngineTest extends EngineKit {
  @Override
  protected EngineLab lab() {
    return new EngineLab() {
      @Override
      public EngineProvider start() {
        return new FileEngine();
      }

      @Override
      public void stop(EngineProvider engine) throws StorageException {
        ((FileEngine) engine).stop();
      }

      @Override
      public void kill(EngineProvider engine) {
        // What it was asked to write is in the files; it remembers nothing that would be lost.
      }
    };
  }
}
