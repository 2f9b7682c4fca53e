package dev.holdfast.frontend.iscsi;

import dev.holdfast.frontend.testkit.ReplacementContract;

final class IscsiSolicitedReplacementTest extends ReplacementContract {
  IscsiSolicitedReplacementTest() {
    super(new IscsiFixture(IscsiClient.Style.SOLICITED));
  }
}
