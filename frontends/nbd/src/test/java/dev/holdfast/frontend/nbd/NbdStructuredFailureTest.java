package dev.holdfast.frontend.nbd;

import dev.holdfast.frontend.testkit.FailureContract;

final class NbdStructuredFailureTest extends FailureContract {
  NbdStructuredFailureTest() {
    super(new NbdFixture(NbdClient.Style.STRUCTURED));
  }
}
