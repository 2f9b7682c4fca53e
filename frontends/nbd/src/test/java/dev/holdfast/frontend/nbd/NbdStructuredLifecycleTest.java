package dev.holdfast.frontend.nbd;

import dev.holdfast.frontend.testkit.LifecycleContract;

final class NbdStructuredLifecycleTest extends LifecycleContract {
  NbdStructuredLifecycleTest() {
    super(new NbdFixture(NbdClient.Style.STRUCTURED));
  }
}
