package dev.holdfast.backuptarget.testkit;

import dev.holdfast.backuptarget.ForwardingObjectStore;
import dev.holdfast.backuptarget.ObjectStore;
import java.time.Clock;

class MemoryObjectStoreTest extends ObjectStoreKit {
  private final MemoryObjectStore target = new MemoryObjectStore(Clock.systemUTC());

  @Override
  protected ObjectStore open() {
    return new ForwardingObjectStore(target) {};
  }
}
