package dev.holdfast.frontend.iscsi;

import dev.holdfast.frontend.testkit.LaterCompletionContract;

final class IscsiImmediateLaterCompletionTest extends LaterCompletionContract {
  IscsiImmediateLaterCompletionTest() {
    super(new IscsiFixture(IscsiClient.Style.IMMEDIATE));
  }
}
