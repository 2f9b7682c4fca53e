package dev.holdfast.frontend.iscsi;

import dev.holdfast.frontend.testkit.LaterCompletionContract;

final class IscsiDigestsLaterCompletionTest extends LaterCompletionContract {
  IscsiDigestsLaterCompletionTest() {
    super(new IscsiFixture(IscsiClient.Style.DIGESTS));
  }
}
