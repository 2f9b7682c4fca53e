package dev.holdfast.frontend.nbd;

import dev.holdfast.frontend.testkit.ReplacementContract;

final class NbdSimpleReplacementTest extends ReplacementContract {
  NbdSimpleReplacementTest() {
    super(new NbdFixture(NbdClient.Style.SIMPLE));
  }
}
