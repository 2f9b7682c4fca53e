package dev.holdfast.backuptarget.s3.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.backuptarget.BackupTargetProvider;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.PutOptions;
import dev.holdfast.backuptarget.StoreCapability;
import dev.holdfast.backuptarget.StoreOptions;
import dev.holdfast.backuptarget.TargetUrl;
import dev.holdfast.backuptarget.testkit.S3Server;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real server: what only a bucket can have, and TLS. */
@Tag("slow")
class S3TargetTest {
  @TempDir Path folder;

  private static ObjectStore open(String bucket, Map<String, byte[]> credentials)
      throws StorageException {
    return new S3TargetProvider()
        .open(
            TargetUrl.parse("s3://" + bucket + "@" + S3Server.REGION + "/"),
            credentials,
            StoreOptions.DEFAULT);
  }

  private static void put(ObjectStore store, String key) throws StorageException {
    store.put(key, List.of(ByteBuffer.wrap(new byte[] {1})), PutOptions.REPLACE);
  }

  private static List<String> list(ObjectStore store) throws StorageException {
    List<String> keys = new ArrayList<>();
    store.list("", "", found -> keys.add(found.key()));
    return keys;
  }

  private static void assertCode(ErrorCode code, String message, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).as(e.getMessage()).isEqualTo(code))
        .hasMessageContaining(message)
        .hasMessageNotContaining(S3Server.SECRET);
  }

  @Test
  void serviceLoaderFindsTheProvider() {
    assertThat(ServiceLoader.load(BackupTargetProvider.class))
        .hasAtLeastOneElementOfType(S3TargetProvider.class);
  }

  @Test
  void missingBucketIsNotAMissingObject() throws Exception {
    try (S3Server server = S3Server.start(folder);
        ObjectStore store = open("absent", server.credentials())) {
      String message = "bucket absent: does not exist: create it";
      assertCode(ErrorCode.NOT_FOUND, message, () -> store.stat("key"));
      assertCode(ErrorCode.NOT_FOUND, message, () -> store.get("key", 0, ByteBuffer.allocate(1)));
      assertCode(ErrorCode.NOT_FOUND, message, () -> put(store, "key"));
      assertCode(ErrorCode.NOT_FOUND, message, () -> list(store));
      assertThat(store.capabilities()).isEmpty();
    }
  }

  @Test
  void wrongKeyIsRefusedWithoutShowingIt() throws Exception {
    try (S3Server server = S3Server.start(folder)) {
      server.bucket("present");
      Map<String, byte[]> wrong = new HashMap<>(server.credentials());
      wrong.putAll(S3Server.credentials(Map.of("AWS_SECRET_ACCESS_KEY", "another-secret")));
      try (ObjectStore store = open("present", wrong)) {
        assertCode(ErrorCode.FORBIDDEN, "AWS_SECRET_ACCESS_KEY", () -> put(store, "key"));
        assertThatThrownBy(() -> list(store)).hasMessageNotContaining("another-secret");
      }
    }
  }

  @Test
  void serverThatIsAwayIsUnreachable() throws Exception {
    S3Server server = S3Server.start(folder);
    server.bucket("present");
    try (ObjectStore store = open("present", server.credentials())) {
      put(store, "key");
      server.close();

      assertCode(ErrorCode.UNREACHABLE, "s3://present@", () -> store.stat("key"));
      assertCode(ErrorCode.UNREACHABLE, "s3://present@", () -> put(store, "key"));
      assertCode(ErrorCode.UNREACHABLE, "s3://present@", () -> list(store));
    } finally {
      server.close();
    }
  }

  @Test
  void probeOfTheConditionsLeavesNothing() throws Exception {
    try (S3Server server = S3Server.start(folder)) {
      Path bucket = server.bucket("present");
      Files.writeString(bucket.resolve(".holdfast-left"), "x");
      try (ObjectStore store = open("present", server.credentials())) {
        put(store, "key");
        assertThat(store.capabilities())
            .containsExactlyInAnyOrder(
                StoreCapability.CREATE_IF_ABSENT, StoreCapability.REPLACE_IF_SAME);
        assertThat(list(store)).containsExactly("key");
      }
      try (var left = Files.list(bucket)) {
        assertThat(left.map(path -> path.getFileName().toString()))
            .contains("key", ".holdfast-left")
            .noneMatch(name -> name.startsWith(".holdfast-conditions"));
      }
    }
  }

  @Test
  void certificateOfTheSecretIsTrusted() throws Exception {
    Path certificate = folder.resolve("certificate.pem");
    Path key = folder.resolve("key.pem");
    certify(certificate, key);
    try (S3Server server =
        S3Server.start(folder, "--cert", certificate.toString(), "--key", key.toString())) {
      server.bucket("present");
      Map<String, byte[]> secret = new HashMap<>(server.credentials());
      secret.putAll(
          S3Server.credentials(
              Map.of("AWS_ENDPOINTS", server.endpoint().replace("http:", "https:"))));
      try (ObjectStore store = open("present", secret)) {
        assertCode(ErrorCode.UNREACHABLE, "AWS_CERT", () -> put(store, "key"));
      }
      secret.put("AWS_CERT", Files.readAllBytes(certificate));
      try (ObjectStore store = open("present", secret)) {
        put(store, "key");
        assertThat(list(store)).containsExactly("key");
      }
    }
  }

  private static void certify(Path certificate, Path key) throws Exception {
    Process openssl =
        new ProcessBuilder(
                "openssl",
                "req",
                "-x509",
                "-newkey",
                "rsa:2048",
                "-nodes",
                "-days",
                "2",
                "-subj",
                "/CN=s3",
                "-addext",
                "subjectAltName=IP:127.0.0.1",
                "-keyout",
                key.toString(),
                "-out",
                certificate.toString())
            .redirectErrorStream(true)
            .redirectOutput(certificate.resolveSibling("openssl.log").toFile())
            .start();
    assertThat(openssl.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(openssl.exitValue())
        .as(Files.readString(certificate.resolveSibling("openssl.log")))
        .isZero();
  }
}
