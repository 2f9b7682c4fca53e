package ${package};

import dev.holdfast.frontend.testkit.LifecycleContract;

/** Exports and connections come and go. */
class LineLifecycleTest extends LifecycleContract {
  LineLifecycleTest() {
    super(new LineFixture());
  }
}
