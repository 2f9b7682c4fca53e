package dev.holdfast.frontend.nbd;

import dev.holdfast.frontend.testkit.ReplacementFailureContract;

final class NbdReplacementFailureTest extends ReplacementFailureContract {
  NbdReplacementFailureTest() {
    super(new NbdFixture(NbdClient.Style.STRUCTURED));
  }
}
