package dev.holdfast.engine.sparse.internal;

import dev.holdfast.engine.testkit.EngineLab;
import dev.holdfast.engine.testkit.SeveralNodesEngineKit;

class SparseNodesKitTest extends SeveralNodesEngineKit {
  @Override
  protected EngineLab.SeveralNodes lab() {
    return new SparseNodesLab();
  }
}
