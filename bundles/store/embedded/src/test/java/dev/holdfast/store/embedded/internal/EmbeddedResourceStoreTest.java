package dev.holdfast.store.embedded.internal;

import dev.holdfast.store.ResourceStore;
import dev.holdfast.store.testkit.ResourceStoreKit;
import java.nio.file.Path;
import java.time.Clock;
import java.util.OptionalInt;
import java.util.UUID;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedResourceStoreTest extends ResourceStoreKit {
  private static final int KEPT = 200;

  @TempDir Path directory;

  @Override
  protected ResourceStore open() throws Exception {
    Path file = directory.resolve(UUID.randomUUID().toString()).resolve("holdfast.db");
    return new EmbeddedResourceStore(file, Clock.systemUTC(), KEPT);
  }

  @Override
  protected void close(ResourceStore store) throws Exception {
    ((EmbeddedResourceStore) store).close();
  }

  @Override
  protected OptionalInt keptChanges() {
    return OptionalInt.of(KEPT);
  }
}
