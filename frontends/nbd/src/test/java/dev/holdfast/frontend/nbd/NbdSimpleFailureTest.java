package dev.holdfast.frontend.nbd;

import dev.holdfast.frontend.testkit.FailureContract;

final class NbdSimpleFailureTest extends FailureContract {
  NbdSimpleFailureTest() {
    super(new NbdFixture(NbdClient.Style.SIMPLE));
  }
}
