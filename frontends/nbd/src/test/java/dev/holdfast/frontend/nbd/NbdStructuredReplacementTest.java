package dev.holdfast.frontend.nbd;

import dev.holdfast.frontend.testkit.ReplacementContract;

final class NbdStructuredReplacementTest extends ReplacementContract {
  NbdStructuredReplacementTest() {
    super(new NbdFixture(NbdClient.Style.STRUCTURED));
  }
}
