package dev.holdfast.backuptarget.s3.internal;

import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.StoreOptions;
import dev.holdfast.backuptarget.TargetUrl;
import dev.holdfast.backuptarget.testkit.ObjectStoreKit;
import dev.holdfast.backuptarget.testkit.S3Server;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class S3ObjectStoreTest extends ObjectStoreKit {
  @TempDir static Path folder;
  private static S3Server server;

  private final String bucket = "bucket-" + UUID.randomUUID();
  private boolean created;

  @BeforeAll
  static void start() throws Exception {
    server = S3Server.start(folder);
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
      server.bucket(bucket);
      created = true;
    }
    return new S3TargetProvider()
        .open(
            TargetUrl.parse("s3://" + bucket + "@" + S3Server.REGION + "/below/this/"),
            server.credentials(),
            StoreOptions.DEFAULT);
  }
}
