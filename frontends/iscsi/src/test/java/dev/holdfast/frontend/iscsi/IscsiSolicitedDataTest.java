package dev.holdfast.frontend.iscsi;

import dev.holdfast.frontend.testkit.DataContract;

final class IscsiSolicitedDataTest extends DataContract {
  IscsiSolicitedDataTest() {
    super(new IscsiFixture(IscsiClient.Style.SOLICITED));
  }
}
