package dev.holdfast.engine.sparse.internal;

import dev.holdfast.engine.testkit.EngineLab;
import dev.holdfast.engine.testkit.ReplicatedEngineKit;
import java.util.Set;
import org.junit.jupiter.api.Tag;

/** The kit with no replica on the engine's node. */
@Tag("soak")
class MemoryRemoteKitTest extends ReplicatedEngineKit {
  @Override
  protected EngineLab.Replicated lab() {
    return new MemoryLab(Set.of());
  }
}
