package dev.holdfast.backuptarget.azure.internal;

import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.StoreOptions;
import dev.holdfast.backuptarget.TargetUrl;
import dev.holdfast.backuptarget.testkit.AzuriteServer;
import dev.holdfast.backuptarget.testkit.ObjectStoreKit;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

@Tag("soak")
class AzureObjectStoreTest extends ObjectStoreKit {
  @TempDir static Path folder;
  private static AzuriteServer server;

  private final String container = "c-" + UUID.randomUUID();
  private boolean created;

  @BeforeAll
  static void start() throws Exception {
    server = AzuriteServer.start(folder);
  }

  @AfterAll
  static void stop() {
    if (server != null) {
      server.close();
    }
  }

  @Override
  protected ObjectStore open() throws Exception {
    if (!created) {
      Containers.create(server, container);
      created = true;
    }
    return new AzureTargetProvider()
        .open(
            TargetUrl.parse("azblob://" + container + "@core.windows.net/below/this/"),
            server.credentials(),
            StoreOptions.DEFAULT);
  }
}
