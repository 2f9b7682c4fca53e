package dev.holdfast.frontend.nbd;

import dev.holdfast.frontend.testkit.FailureContract;

final class NbdExtendedFailureTest extends FailureContract {
  NbdExtendedFailureTest() {
    super(new NbdFixture(NbdClient.Style.EXTENDED));
  }
}
