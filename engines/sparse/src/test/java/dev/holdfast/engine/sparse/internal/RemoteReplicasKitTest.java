package dev.holdfast.engine.sparse.internal;

import dev.holdfast.engine.testkit.EngineLab;
import dev.holdfast.engine.testkit.ReplicatedEngineKit;
import org.junit.jupiter.api.Tag;

/** The kit, with every replica on another node. */
@Tag("soak")
class RemoteReplicasKitTest extends ReplicatedEngineKit {
  @Override
  protected EngineLab.Replicated lab() {
    return new RemoteLab(replica -> false);
  }
}
