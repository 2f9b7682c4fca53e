package dev.holdfast.frontend.iscsi;

import dev.holdfast.frontend.testkit.LaterCompletionContract;

final class IscsiJointLaterCompletionTest extends LaterCompletionContract {
  IscsiJointLaterCompletionTest() {
    super(new IscsiFixture(IscsiClient.Style.JOINT));
  }
}
