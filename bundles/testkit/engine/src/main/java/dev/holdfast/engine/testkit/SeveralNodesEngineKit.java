package dev.holdfast.engine.testkit;

import org.junit.jupiter.api.Nested;

/**
 * Contract of engines whose volumes any number of nodes serve at a time: {@code ForwardingEngine}
 * with {@code EngineCapability.MULTI_NODE}. It stands beside the other kits of the engine, because
 * its lab starts several nodes.
 */
public abstract class SeveralNodesEngineKit {

  /**
   * Makes the lab of one test.
   *
   * @return a new lab, never null
   */
  protected abstract EngineLab.SeveralNodes lab();

  /** One node that has a volume open, and two that forward to it. */
  @Nested
  public class Serving extends ServingNodesTests {
    Serving() {
      super(SeveralNodesEngineKit.this.lab());
    }
  }
}
