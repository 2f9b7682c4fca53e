package dev.holdfast.frontend.iscsi;

import dev.holdfast.frontend.testkit.ReplacementContract;

final class IscsiImmediateReplacementTest extends ReplacementContract {
  IscsiImmediateReplacementTest() {
    super(new IscsiFixture(IscsiClient.Style.IMMEDIATE));
  }
}
