package dev.holdfast.frontend.iscsi;

import dev.holdfast.frontend.testkit.ReplacementFailureContract;

final class IscsiImmediateReplacementFailureTest extends ReplacementFailureContract {
  IscsiImmediateReplacementFailureTest() {
    super(new IscsiFixture(IscsiClient.Style.IMMEDIATE));
  }
}
