package dev.holdfast.frontend.iscsi;

import dev.holdfast.frontend.testkit.DataContract;

final class IscsiDigestsDataTest extends DataContract {
  IscsiDigestsDataTest() {
    super(new IscsiFixture(IscsiClient.Style.DIGESTS));
  }
}
