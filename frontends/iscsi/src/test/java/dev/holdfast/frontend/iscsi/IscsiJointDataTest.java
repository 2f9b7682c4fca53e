package dev.holdfast.frontend.iscsi;

import dev.holdfast.frontend.testkit.DataContract;

final class IscsiJointDataTest extends DataContract {
  IscsiJointDataTest() {
    super(new IscsiFixture(IscsiClient.Style.JOINT));
  }
}
