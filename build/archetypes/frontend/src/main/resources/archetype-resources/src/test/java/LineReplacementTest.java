package ${package};

import dev.holdfast.frontend.testkit.ReplacementContract;

/** Versions of the bundle follow each other under I/O. */
class LineReplacementTest extends ReplacementContract {
  LineReplacementTest() {
    super(new LineFixture());
  }
}
