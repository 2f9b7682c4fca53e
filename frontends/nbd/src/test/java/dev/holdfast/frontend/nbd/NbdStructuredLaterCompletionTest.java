package dev.holdfast.frontend.nbd;

import dev.holdfast.frontend.testkit.LaterCompletionContract;

final class NbdStructuredLaterCompletionTest extends LaterCompletionContract {
  NbdStructuredLaterCompletionTest() {
    super(new NbdFixture(NbdClient.Style.STRUCTURED));
  }
}
