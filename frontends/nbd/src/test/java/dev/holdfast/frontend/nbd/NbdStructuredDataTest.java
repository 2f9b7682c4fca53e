package dev.holdfast.frontend.nbd;

import dev.holdfast.frontend.testkit.DataContract;

final class NbdStructuredDataTest extends DataContract {
  NbdStructuredDataTest() {
    super(new NbdFixture(NbdClient.Style.STRUCTURED));
  }
}
