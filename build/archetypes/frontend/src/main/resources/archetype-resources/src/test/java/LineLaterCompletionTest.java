package ${package};

import dev.holdfast.frontend.testkit.LaterCompletionContract;

/** Devices may complete later, in any order. */
class LineLaterCompletionTest extends LaterCompletionContract {
  LineLaterCompletionTest() {
    super(new LineFixture());
  }
}
