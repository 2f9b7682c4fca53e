package dev.holdfast.frontend.nbd;

import dev.holdfast.frontend.testkit.ReplacementContract;

final class NbdExtendedReplacementTest extends ReplacementContract {
  NbdExtendedReplacementTest() {
    super(new NbdFixture(NbdClient.Style.EXTENDED));
  }
}
