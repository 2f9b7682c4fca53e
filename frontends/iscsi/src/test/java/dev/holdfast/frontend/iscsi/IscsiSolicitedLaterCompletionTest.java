package dev.holdfast.frontend.iscsi;

import dev.holdfast.frontend.testkit.LaterCompletionContract;

final class IscsiSolicitedLaterCompletionTest extends LaterCompletionContract {
  IscsiSolicitedLaterCompletionTest() {
    super(new IscsiFixture(IscsiClient.Style.SOLICITED));
  }
}
