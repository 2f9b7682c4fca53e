package dev.holdfast.engine.testkit;

import org.junit.jupiter.api.Nested;

/**
 * Contract of engines whose volumes any number of nodes can serve: {@code ForwardingEngine} with
 * {@code EngineCapability.MULTI_NODE}. It is separate from the other kits, because its lab starts
 * several nodes.
 */
public abstract class SeveralNodesEngineKit {

  /**
   * Creates the lab of one test.
   *
   * @return a new lab, never null
   */
  protected abstract EngineLab.SeveralNodes lab();

  /** One node with an open volume, and two nodes that forward to it. */
  @Nested
  public class Serving extends ServingNodesTests {
    Serving() {
      super(SeveralNodesEngineKit.this.lab());
    }
  }
}
