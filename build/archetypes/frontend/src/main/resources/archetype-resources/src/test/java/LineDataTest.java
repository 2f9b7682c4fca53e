package ${package};

import dev.holdfast.frontend.testkit.DataContract;

/** Bytes arrive where they belong. */
class LineDataTest extends DataContract {
  LineDataTest() {
    super(new LineFixture());
  }
}
