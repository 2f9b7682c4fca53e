package dev.holdfast.backuptarget.cifs.internal;

import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.StoreOptions;
import dev.holdfast.backuptarget.TargetUrl;
import dev.holdfast.backuptarget.testkit.ObjectStoreKit;
import dev.holdfast.backuptarget.testkit.SambaServer;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

@Tag("soak")
class CifsObjectStoreTest extends ObjectStoreKit {
  @TempDir static Path folder;
  private static SambaServer server;

  private final String root = UUID.randomUUID().toString();
  private boolean created;

  @BeforeAll
  static void start() throws Exception {
    server = SambaServer.start(folder);
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
      server.folder(root);
      created = true;
    }
    return new CifsTargetProvider()
        .open(TargetUrl.parse(server.url(root)), server.credentials(), StoreOptions.DEFAULT);
  }
}
