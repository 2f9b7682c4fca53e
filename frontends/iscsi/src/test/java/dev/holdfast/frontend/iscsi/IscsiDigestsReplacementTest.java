package dev.holdfast.frontend.iscsi;

import dev.holdfast.frontend.testkit.ReplacementContract;

final class IscsiDigestsReplacementTest extends ReplacementContract {
  IscsiDigestsReplacementTest() {
    super(new IscsiFixture(IscsiClient.Style.DIGESTS));
  }
}
