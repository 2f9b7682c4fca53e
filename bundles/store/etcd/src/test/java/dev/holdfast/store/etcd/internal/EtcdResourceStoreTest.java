package dev.holdfast.store.etcd.internal;

import dev.holdfast.kube.testkit.EtcdServer;
import dev.holdfast.store.ResourceStore;
import dev.holdfast.store.testkit.ResourceStoreKit;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** The kit over a real etcd; each store has its own prefix. */
@Tag("slow")
class EtcdResourceStoreTest extends ResourceStoreKit {
  @TempDir static Path directory;
  private static final AtomicInteger STORES = new AtomicInteger();
  private static EtcdServer etcd;

  @BeforeAll
  static void start() throws IOException {
    etcd = EtcdServer.start(directory);
  }

  @AfterAll
  static void stop() {
    etcd.close();
  }

  @Override
  protected ResourceStore open() throws Exception {
    String endpoint = etcd.endpoint();
    EtcdSettings settings =
        EtcdSettings.read(name -> name.equals("holdfast.etcd.endpoints") ? endpoint : null);
    String prefix = "/test-" + STORES.incrementAndGet() + "/";
    return new EtcdResourceStore(new EtcdConnection(settings), prefix, Clock.systemUTC());
  }

  @Override
  protected void close(ResourceStore store) {
    ((EtcdResourceStore) store).close();
  }

  @Override
  protected OptionalInt keptChanges() {
    return OptionalInt.empty();
  }
}
