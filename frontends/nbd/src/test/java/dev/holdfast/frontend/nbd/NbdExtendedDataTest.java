package dev.holdfast.frontend.nbd;

import dev.holdfast.frontend.testkit.DataContract;

final class NbdExtendedDataTest extends DataContract {
  NbdExtendedDataTest() {
    super(new NbdFixture(NbdClient.Style.EXTENDED));
  }
}
