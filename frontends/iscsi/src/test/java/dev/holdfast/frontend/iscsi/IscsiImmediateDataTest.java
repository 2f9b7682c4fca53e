package dev.holdfast.frontend.iscsi;

import dev.holdfast.frontend.testkit.DataContract;

final class IscsiImmediateDataTest extends DataContract {
  IscsiImmediateDataTest() {
    super(new IscsiFixture(IscsiClient.Style.IMMEDIATE));
  }
}
