package dev.holdfast.store.memory;

import dev.holdfast.store.ResourceStore;
import dev.holdfast.store.testkit.ResourceStoreKit;
import java.time.Clock;
import java.util.OptionalInt;

class MemoryResourceStoreTest extends ResourceStoreKit {
  private static final int KEPT = 200;

  @Override
  protected ResourceStore open() {
    return new MemoryResourceStore(Clock.systemUTC(), KEPT);
  }

  @Override
  protected void close(ResourceStore store) {
    ((MemoryResourceStore) store).close();
  }

  @Override
  protected OptionalInt keptChanges() {
    return OptionalInt.of(KEPT);
  }
}
