package ${package};

import dev.holdfast.frontend.testkit.FailureContract;

/** A failing device fails requests, never connections. */
class LineFailureTest extends FailureContract {
  LineFailureTest() {
    super(new LineFixture());
  }
}
