package dev.holdfast.engine.lvm.internal;

import dev.holdfast.engine.testkit.EngineLab;
import dev.holdfast.engine.testkit.SeveralNodesEngineKit;

/** The kit over a simulated group: one node has a volume open, and two others also serve it. */
class SeveralNodesTest extends SeveralNodesEngineKit {
  @Override
  protected EngineLab.SeveralNodes lab() {
    return new SharedLab();
  }
}
