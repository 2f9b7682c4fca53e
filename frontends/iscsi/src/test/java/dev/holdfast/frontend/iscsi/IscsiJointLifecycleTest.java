package dev.holdfast.frontend.iscsi;

import dev.holdfast.frontend.testkit.LifecycleContract;

final class IscsiJointLifecycleTest extends LifecycleContract {
  IscsiJointLifecycleTest() {
    super(new IscsiFixture(IscsiClient.Style.JOINT));
  }
}
