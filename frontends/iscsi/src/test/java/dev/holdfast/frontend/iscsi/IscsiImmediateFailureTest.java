package dev.holdfast.frontend.iscsi;

import dev.holdfast.frontend.testkit.FailureContract;

final class IscsiImmediateFailureTest extends FailureContract {
  IscsiImmediateFailureTest() {
    super(new IscsiFixture(IscsiClient.Style.IMMEDIATE));
  }
}
