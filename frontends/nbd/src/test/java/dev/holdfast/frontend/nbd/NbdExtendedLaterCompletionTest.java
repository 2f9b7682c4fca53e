package dev.holdfast.frontend.nbd;

import dev.holdfast.frontend.testkit.LaterCompletionContract;

final class NbdExtendedLaterCompletionTest extends LaterCompletionContract {
  NbdExtendedLaterCompletionTest() {
    super(new NbdFixture(NbdClient.Style.EXTENDED));
  }
}
