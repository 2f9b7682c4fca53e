package dev.holdfast.engine.sparse.internal;

import dev.holdfast.engine.testkit.EngineLab;
import dev.holdfast.engine.testkit.ReplicatedEngineKit;

class SparseEngineKitTest extends ReplicatedEngineKit {
  @Override
  protected EngineLab.Replicated lab() {
    return new SparseLab();
  }
}
