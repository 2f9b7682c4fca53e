package dev.holdfast.store.etcd.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.ByteString;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.etcd.v3.RangeRequest;
import dev.holdfast.kube.testkit.EtcdServer;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingSpec;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Joint actions of nodes that share a real etcd: secrets, and compaction. */
@Tag("slow")
class EtcdSharingTest {
  private static final Instant START = Instant.parse("2026-11-21T00:00:00Z");
  private static final Duration KEPT = Duration.ofHours(1);

  @TempDir static Path directory;
  private static EtcdServer etcd;

  @BeforeAll
  static void start() throws IOException {
    etcd = EtcdServer.start(directory);
  }

  @AfterAll
  static void stop() {
    etcd.close();
  }

  private static EtcdConnection connect() throws StorageException {
    String endpoint = etcd.endpoint();
    return new EtcdConnection(
        EtcdSettings.read(name -> name.equals("holdfast.etcd.endpoints") ? endpoint : null));
  }

  @Test
  void allNodesGetTheValueOfTheFirstNode() throws Exception {
    ExecutorService nodes = Executors.newFixedThreadPool(8);
    try (EtcdConnection connection = connect()) {
      List<Future<Map<String, String>>> answers = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        Map<String, String> offered = Map.of("tls.crt", "of " + i + "\n", "tls.key", "é");
        answers.add(
            nodes.submit(() -> new EtcdSecrets(connection, "/a/").agree("authority", offered)));
      }
      Set<Map<String, String>> different = new HashSet<>();
      for (Future<Map<String, String>> answer : answers) {
        different.add(answer.get());
      }

      assertThat(different).hasSize(1);
      assertThat(new EtcdSecrets(connection, "/b/").agree("authority", Map.of("x", "y")))
          .as("another cluster's")
          .isEqualTo(Map.of("x", "y"));
    } finally {
      nodes.shutdownNow();
    }
  }

  /** A clock that a test sets. */
  private static final class Hands extends Clock {
    private Instant now = START;

    @Override
    public Instant instant() {
      return now;
    }

    @Override
    public ZoneOffset getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(java.time.ZoneId zone) {
      return this;
    }
  }

  private static ErrorCode readAt(EtcdConnection connection, long revision) {
    RangeRequest request =
        RangeRequest.newBuilder()
            .setKey(ByteString.copyFromUtf8("/c/"))
            .setRevision(revision)
            .build();
    StorageException e =
        catchThrowableOfType(StorageException.class, () -> connection.range(request));
    return e == null ? null : e.code();
  }

  @Test
  void historyIsForgottenOnceAndNotBeforeItsTime() throws Exception {
    Hands clock = new Hands();
    try (EtcdConnection connection = connect();
        EtcdCompaction first = new EtcdCompaction(connection, "/c/", KEPT, clock);
        EtcdCompaction second = new EtcdCompaction(connection, "/c/", KEPT, clock)) {
      EtcdResourceStore store = new EtcdResourceStore(connection, "/c/", clock);
      Setting setting = store.create(Setting.of("a", new SettingSpec("0")));
      long oldest = Long.parseLong(setting.metadata().resourceVersion());
      setting = store.update(setting.withSpec(new SettingSpec("1")));
      assertThat(first.look()).isFalse();
      assertThat(second.look()).isFalse();

      clock.now = START.plus(KEPT).minusMillis(1);
      assertThat(first.look()).as("it is to be kept for longer").isFalse();
      assertThat(readAt(connection, oldest)).isNull();

      clock.now = START.plus(KEPT);
      assertThat(first.look()).isTrue();
      assertThat(second.look()).as("the other one did").isFalse();
      assertThat(readAt(connection, oldest)).isEqualTo(ErrorCode.EXPIRED);
      assertThat(store.get(Setting.KIND, "a")).contains(setting);
    }
  }
}
