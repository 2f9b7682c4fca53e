package dev.holdfast.store.etcd.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.etcd.v3.CompactionRequest;
import dev.holdfast.etcd.v3.KVGrpc;
import dev.holdfast.kube.testkit.EtcdServer;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingSpec;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.Watch;
import dev.holdfast.store.WatchEvent;
import dev.holdfast.store.WatchListener;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import java.net.URI;
import java.nio.file.Path;
import java.time.Clock;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An etcd that is unreachable, that has compacted its history, and that requires a login. */
@Tag("slow")
class TroubleTest {
  @TempDir Path directory;

  private static Setting setting(String name, String value) {
    return Setting.of(name, new SettingSpec(value));
  }

  private static ErrorCode codeOf(ThrowingCallable call) {
    StorageException e = catchThrowableOfType(StorageException.class, call);
    assertThat(e).as("a failure").isNotNull();
    return e.code();
  }

  private static EtcdResourceStore store(String endpoints, String... files) throws Exception {
    EtcdSettings settings =
        EtcdSettings.read(
            name ->
                switch (name) {
                  case "holdfast.etcd.endpoints" -> endpoints;
                  case "holdfast.etcd.ca" -> files.length > 0 ? files[0] : null;
                  case "holdfast.etcd.cert" -> files.length > 1 ? files[1] : null;
                  case "holdfast.etcd.key" -> files.length > 2 ? files[2] : null;
                  default -> null;
                });
    return new EtcdResourceStore(
        new EtcdConnection(settings), settings.prefix(), Clock.systemUTC());
  }

  /** Records why a watch ended. */
  private static final class End implements WatchListener<Setting> {
    private final CompletableFuture<StorageException> cause = new CompletableFuture<>();

    @Override
    public void changed(WatchEvent<Setting> event) {
      // Only the end is relevant.
    }

    @Override
    public void ended(StorageException why) {
      cause.complete(why);
    }
  }

  @Test
  void etcdIsUnreachableUntilItRestarts() throws Exception {
    try (EtcdServer etcd = EtcdServer.start(directory);
        EtcdResourceStore store = store(etcd.endpoint())) {
      Setting kept = store.create(setting("a", "1"));
      End end = new End();
      Watch watch =
          store.watch(
              Setting.KIND, store.list(Setting.KIND, LabelSelector.ALL).resourceVersion(), end);

      etcd.kill();

      assertThat(end.cause.get(60, TimeUnit.SECONDS).code()).isEqualTo(ErrorCode.UNREACHABLE);
      assertThat(codeOf(() -> store.get(Setting.KIND, "a"))).isEqualTo(ErrorCode.UNREACHABLE);
      assertThat(codeOf(() -> store.create(setting("b", "1")))).isEqualTo(ErrorCode.UNREACHABLE);
      assertThat(codeOf(() -> store.watch(Setting.KIND, "1", end)))
          .isEqualTo(ErrorCode.UNREACHABLE);
      watch.close();

      etcd.restart();

      assertThat(answered(store)).isEqualTo(kept);
    }
  }

  /** Waits for an answer, because reconnects are delayed by increasing pauses. */
  private static Setting answered(EtcdResourceStore store) throws StorageException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (true) {
      try {
        return store.get(Setting.KIND, "a").orElseThrow();
      } catch (StorageException e) {
        if (e.code() != ErrorCode.UNREACHABLE || System.nanoTime() > deadline) {
          throw e;
        }
      }
    }
  }

  @Test
  void nextMemberIsUsedWhenOneIsUnreachable() throws Exception {
    try (EtcdServer etcd = EtcdServer.start(directory)) {
      String nobody = "http://127.0.0.1:1";
      try (EtcdResourceStore store = store(nobody + "," + etcd.endpoint())) {
        Setting created = store.create(setting("a", "1"));

        assertThat(store.get(Setting.KIND, "a")).contains(created);
      }
    }
  }

  @Test
  void compactedVersionIsExpired() throws Exception {
    try (EtcdServer etcd = EtcdServer.start(directory);
        EtcdResourceStore store = store(etcd.endpoint())) {
      Setting setting = store.create(setting("a", "1"));
      String old = setting.metadata().resourceVersion();
      for (int i = 0; i < 3; i++) {
        setting = store.update(setting.withSpec(new SettingSpec("changed-" + i)));
      }

      compact(etcd, Long.parseLong(setting.metadata().resourceVersion()));

      assertThat(codeOf(() -> store.watch(Setting.KIND, old, new End())))
          .isEqualTo(ErrorCode.EXPIRED);
      assertThat(store.list(Setting.KIND, LabelSelector.ALL).items()).containsExactly(setting);
    }
  }

  private static void compact(EtcdServer etcd, long revision) {
    URI endpoint = URI.create(etcd.endpoint());
    ManagedChannel channel =
        NettyChannelBuilder.forAddress(endpoint.getHost(), endpoint.getPort())
            .usePlaintext()
            .build();
    try {
      long now =
          KVGrpc.newBlockingStub(channel)
              .compact(CompactionRequest.newBuilder().setRevision(revision).build())
              .getHeader()
              .getRevision();
      assertThat(now).isGreaterThanOrEqualTo(revision);
    } finally {
      channel.shutdownNow();
    }
  }

  /** Certificates made with openssl, with the client's key in the older format of EC keys. */
  @Test
  void clientsAreIdentifiedByTheirCertificates() throws Exception {
    Certificates files = Certificates.make(directory);
    try (EtcdServer etcd =
        EtcdServer.start(
            directory,
            "--cert-file=" + files.of("server.crt"),
            "--key-file=" + files.of("server.key"),
            "--trusted-ca-file=" + files.of("ca.crt"),
            "--client-cert-auth")) {
      String ca = files.of("ca.crt");
      try (EtcdResourceStore known =
          store(etcd.endpoint(), ca, files.of("client.crt"), files.of("client.key"))) {
        Setting created = known.create(setting("a", "1"));
        assertThat(known.get(Setting.KIND, "a")).contains(created);
      }
      try (EtcdResourceStore unknown = store(etcd.endpoint(), ca)) {
        assertThat(codeOf(() -> unknown.get(Setting.KIND, "a"))).isEqualTo(ErrorCode.UNREACHABLE);
      }
      try (EtcdResourceStore trusting = store(etcd.endpoint())) {
        assertThat(codeOf(() -> trusting.get(Setting.KIND, "a")))
            .as("a server without a trusted authority")
            .isEqualTo(ErrorCode.UNREACHABLE);
      }
    }
  }
}
