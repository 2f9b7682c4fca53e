package dev.holdfast.frontend.nbd;

import dev.holdfast.frontend.testkit.LaterCompletionContract;

final class NbdSimpleLaterCompletionTest extends LaterCompletionContract {
  NbdSimpleLaterCompletionTest() {
    super(new NbdFixture(NbdClient.Style.SIMPLE));
  }
}
