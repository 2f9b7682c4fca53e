package dev.holdfast.initiator.kernel.internal;

import dev.holdfast.initiator.testkit.InitiatorContract;
import dev.holdfast.initiator.testkit.InitiatorFixture;

final class IscsiInGuest extends InitiatorContract {
  @Override
  protected InitiatorFixture fixture() {
    return new GuestFixture(new IscsiSessions());
  }
}
