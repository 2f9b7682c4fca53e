package dev.holdfast.engine.sparse.internal;

import dev.holdfast.engine.testkit.EngineLab;
import dev.holdfast.engine.testkit.ReplicatedEngineKit;
import java.util.Set;
import org.junit.jupiter.api.Tag;

/** The kit with one replica on the engine's node and the others elsewhere. */
@Tag("slow")
class MemorySpreadKitTest extends ReplicatedEngineKit {
  @Override
  protected EngineLab.Replicated lab() {
    return new MemoryLab(Set.of("vol-r-1"));
  }
}
