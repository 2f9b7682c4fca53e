package dev.holdfast.frontend.nbd;

import dev.holdfast.frontend.testkit.DataContract;

final class NbdSimpleDataTest extends DataContract {
  NbdSimpleDataTest() {
    super(new NbdFixture(NbdClient.Style.SIMPLE));
  }
}
