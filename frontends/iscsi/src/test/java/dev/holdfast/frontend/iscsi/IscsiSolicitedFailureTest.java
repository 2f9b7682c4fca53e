package dev.holdfast.frontend.iscsi;

import dev.holdfast.frontend.testkit.FailureContract;

final class IscsiSolicitedFailureTest extends FailureContract {
  IscsiSolicitedFailureTest() {
    super(new IscsiFixture(IscsiClient.Style.SOLICITED));
  }
}
