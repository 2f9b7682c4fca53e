package ${package};

import dev.holdfast.frontend.testkit.ReplacementFailureContract;

/** A version that fails gives the sessions back. */
class LineReplacementFailureTest extends ReplacementFailureContract {
  LineReplacementFailureTest() {
    super(new LineFixture());
  }
}
