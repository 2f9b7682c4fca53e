package dev.holdfast.datapath.testkit;

import dev.holdfast.engine.Membership;
import dev.holdfast.engine.MembershipRegister;

/** An in-memory register of one volume that was never opened. Thread-safe. */
public final class FakeRegister implements MembershipRegister {
  private Membership now = Membership.NONE;

  @Override
  public synchronized Membership read() {
    return now;
  }

  @Override
  public synchronized boolean compareAndSet(Membership expected, Membership next) {
    if (!now.equals(expected)) {
      return false;
    }
    now = next;
    return true;
  }
}
