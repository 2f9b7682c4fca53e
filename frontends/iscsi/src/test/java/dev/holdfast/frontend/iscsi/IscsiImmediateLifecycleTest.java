package dev.holdfast.frontend.iscsi;

import dev.holdfast.frontend.testkit.LifecycleContract;

final class IscsiImmediateLifecycleTest extends LifecycleContract {
  IscsiImmediateLifecycleTest() {
    super(new IscsiFixture(IscsiClient.Style.IMMEDIATE));
  }
}
