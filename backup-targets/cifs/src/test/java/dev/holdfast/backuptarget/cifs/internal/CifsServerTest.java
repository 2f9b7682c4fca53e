package dev.holdfast.backuptarget.cifs.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.PutOptions;
import dev.holdfast.backuptarget.StoreOptions;
import dev.holdfast.backuptarget.TargetUrl;
import dev.holdfast.backuptarget.testkit.S3Server;
import dev.holdfast.backuptarget.testkit.SambaServer;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real server that refuses, hangs and drops its connections. */
@Tag("soak")
class CifsServerTest {
  private static final StoreOptions SHORT =
      new StoreOptions(Duration.ofSeconds(2), Duration.ofSeconds(1), 4);

  @TempDir static Path folder;
  private static SambaServer server;

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

  private static ObjectStore open(String url, Map<String, byte[]> credentials)
      throws StorageException {
    return new CifsTargetProvider().open(TargetUrl.parse(url), credentials, SHORT);
  }

  private static void put(ObjectStore store, String key) throws StorageException {
    store.put(key, List.of(ByteBuffer.wrap(new byte[] {7})), PutOptions.REPLACE);
  }

  private static StorageException failure(ThrowingCallable call) {
    return catchThrowableOfType(StorageException.class, call);
  }

  @Test
  void wrongPasswordAndShareAndFolderAreNamed() throws Exception {
    Map<String, byte[]> wrong =
        S3Server.credentials(
            Map.of("CIFS_USERNAME", SambaServer.USER, "CIFS_PASSWORD", "another planted one"));
    try (ObjectStore store = open(server.url(""), wrong)) {
      StorageException refused = failure(() -> store.stat("key"));
      assertThat(refused.code()).isEqualTo(ErrorCode.FORBIDDEN);
      assertThat(refused)
          .hasMessageContaining("correct CIFS_USERNAME and CIFS_PASSWORD")
          .hasMessageNotContaining("planted");
    }
    String otherShare = server.url("").replace("/" + SambaServer.SHARE + "/", "/other/");
    try (ObjectStore store = open(otherShare, server.credentials())) {
      assertThat(failure(() -> store.stat("key"))).hasMessageContaining("has no such share");
    }
    try (ObjectStore store = open(server.url("absent"), server.credentials())) {
      StorageException absent = failure(() -> store.list("", "", found -> {}));
      assertThat(absent.code()).as(absent.getMessage()).isEqualTo(ErrorCode.UNREACHABLE);
      assertThat(failure(() -> put(store, "key"))).hasMessage(absent.getMessage());
    }
  }

  @Test
  void storeContinuesAfterItsConnectionBroke() throws Exception {
    server.folder("dropped");
    try (ObjectStore store = open(server.url("dropped"), server.credentials())) {
      put(store, "before");
      server.dropConnections();
      ByteBuffer read = ByteBuffer.allocate(1);
      store.get("before", 0, read);
      assertThat(read.get(0)).isEqualTo((byte) 7);
    }
  }

  @Test
  void serverThatHangsEndsTheCallAndIsUsedAgainLater() throws Exception {
    server.folder("hung");
    try (ObjectStore store = open(server.url("hung"), server.credentials())) {
      put(store, "key");
      server.suspend();
      try {
        assertThat(failure(() -> store.stat("key")).code()).isEqualTo(ErrorCode.TIMEOUT);
      } finally {
        server.resume();
      }
      assertThat(store.stat("key")).isPresent();
    }
  }

  @Test
  void putsLeaveNoStagedFileAndDeletionsNoFolder() throws Exception {
    Path root = server.folder("clean");
    try (ObjectStore store = open(server.url("clean"), server.credentials())) {
      put(store, "a/b/key");
      store.put("a/once", List.of(), PutOptions.IF_ABSENT);
      assertThat(failure(() -> store.put("a/once", List.of(), PutOptions.IF_ABSENT)).code())
          .isEqualTo(ErrorCode.CONFLICT);
      for (String below : List.of("a/once/below", "a/once/further/below")) {
        assertThat(failure(() -> put(store, below)).code()).isEqualTo(ErrorCode.CONFLICT);
      }
      try (var staged = Files.list(root.resolve(".holdfast-put"))) {
        assertThat(staged).isEmpty();
      }
      store.delete(List.of("a/b/key", "a/once"));
      assertThat(root.resolve("a")).doesNotExist();
    }
  }
}
