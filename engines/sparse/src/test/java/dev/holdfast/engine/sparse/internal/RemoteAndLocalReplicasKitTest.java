package dev.holdfast.engine.sparse.internal;

import dev.holdfast.engine.testkit.EngineLab;
import dev.holdfast.engine.testkit.ReplicatedEngineKit;
import org.junit.jupiter.api.Tag;

/** The kit, with the first replica on the engine's own node and the others on another. */
@Tag("soak")
class RemoteAndLocalReplicasKitTest extends ReplicatedEngineKit {
  @Override
  protected EngineLab.Replicated lab() {
    return new RemoteLab(replica -> replica.replica().endsWith("-r-1"));
  }
}
