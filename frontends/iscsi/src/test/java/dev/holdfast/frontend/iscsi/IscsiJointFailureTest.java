package dev.holdfast.frontend.iscsi;

import dev.holdfast.frontend.testkit.FailureContract;

final class IscsiJointFailureTest extends FailureContract {
  IscsiJointFailureTest() {
    super(new IscsiFixture(IscsiClient.Style.JOINT));
  }
}
