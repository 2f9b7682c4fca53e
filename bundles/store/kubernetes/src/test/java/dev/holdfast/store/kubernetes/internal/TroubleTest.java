package dev.holdfast.store.kubernetes.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.access.AccessDecision;
import dev.holdfast.access.AccessRequest;
import dev.holdfast.access.Caller;
import dev.holdfast.access.UserCredential;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.kube.testkit.KubeApiServer;
import dev.holdfast.resource.cluster.Lease;
import dev.holdfast.resource.cluster.LeaseSpec;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingSpec;
import dev.holdfast.resource.json.ResourceJson;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.Watch;
import dev.holdfast.store.WatchEvent;
import dev.holdfast.store.WatchListener;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The API server becomes unreachable and returns, and its history expires; leases are those of
 * Kubernetes.
 */
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

  /** Records the events of a watch. */
  private static final class RecordingListener implements WatchListener<Setting> {
    private final BlockingQueue<WatchEvent<Setting>> events = new LinkedBlockingQueue<>();
    private final CompletableFuture<StorageException> end = new CompletableFuture<>();

    @Override
    public void changed(WatchEvent<Setting> event) {
      events.add(event);
    }

    @Override
    public void ended(StorageException cause) {
      end.complete(cause);
    }

    ErrorCode end() throws Exception {
      return end.get(30, TimeUnit.SECONDS).code();
    }

    WatchEvent<Setting> next() throws InterruptedException {
      return Optional.ofNullable(events.poll(30, TimeUnit.SECONDS)).orElseThrow();
    }
  }

  /** Decides for a user of the group with all permissions. */
  private static AccessDecision mayChangeVolumes(KubernetesUsers users, String verb) {
    UserCredential root =
        new UserCredential("cluster", "kubernetes:root", List.of("kubernetes:system:masters"));
    return users.decide(Caller.ofUser(root), AccessRequest.of(verb, "volumes", "", "", Map::of));
  }

  @Test
  @Timeout(value = 3, unit = TimeUnit.MINUTES)
  void serverIsUnreachableUntilItRestarts() throws Exception {
    try (KubeApiServer server = KubeApiServer.start(directory)) {
      TestCluster.install(server.kubeconfig());
      try (KubernetesResourceStore store = TestCluster.store(server.kubeconfig())) {
        Setting kept = store.create(setting("a", "1"));
        String old = store.list(Setting.KIND, LabelSelector.ALL).resourceVersion();
        RecordingListener listener = new RecordingListener();
        Watch watch = store.watch(Setting.KIND, old, listener);

        KubernetesConnection connection = TestCluster.connect(server.kubeconfig());
        AtomicLong nanos = new AtomicLong();
        KubernetesUsers users = new KubernetesUsers(connection, nanos::get);
        assertThat(mayChangeVolumes(users, "delete").allowed()).isTrue();

        server.kill();

        nanos.addAndGet(TimeUnit.MINUTES.toNanos(1));
        assertThat(mayChangeVolumes(users, "delete").allowed()).isTrue();
        AccessDecision unknown = mayChangeVolumes(users, "create");
        assertThat(unknown.allowed()).isFalse();
        assertThat(unknown.reason()).contains("could not read its rights from Kubernetes");
        connection.close();
        assertThat(listener.end()).isEqualTo(ErrorCode.UNREACHABLE);
        assertThat(codeOf(() -> store.get(Setting.KIND, "a"))).isEqualTo(ErrorCode.UNREACHABLE);
        assertThat(codeOf(() -> store.create(setting("b", "1")))).isEqualTo(ErrorCode.UNREACHABLE);
        assertThat(codeOf(() -> store.update(kept))).isEqualTo(ErrorCode.UNREACHABLE);
        assertThat(codeOf(() -> store.delete(Setting.KIND, "a", "")))
            .isEqualTo(ErrorCode.UNREACHABLE);
        assertThat(codeOf(() -> store.list(Setting.KIND, LabelSelector.ALL)))
            .isEqualTo(ErrorCode.UNREACHABLE);
        watch.close();

        server.restart();

        assertThat(store.get(Setting.KIND, "a")).contains(kept);
        aForgottenHistoryIsExpired(server, store, old);
      }
    }
  }

  /** After a restart the server's history of changes is empty, like after a compaction. */
  private static void aForgottenHistoryIsExpired(
      KubeApiServer server, KubernetesResourceStore store, String old) throws Exception {
    Setting changed = store.get(Setting.KIND, "a").orElseThrow();
    for (int i = 0; i < 3; i++) {
      changed = store.update(changed.withSpec(new SettingSpec("changed-" + i)));
    }
    server.restart();
    store.list(Setting.KIND, LabelSelector.ALL);

    RecordingListener forgotten = new RecordingListener();
    try (Watch watch = store.watch(Setting.KIND, old, forgotten)) {
      assertThat(watch).isNotNull();
      assertThat(forgotten.end()).isEqualTo(ErrorCode.EXPIRED);
    }
    RecordingListener resumed = new RecordingListener();
    String now = store.list(Setting.KIND, LabelSelector.ALL).resourceVersion();
    try (Watch watch = store.watch(Setting.KIND, now, resumed)) {
      Setting next = store.create(setting("after", "1"));
      assertThat(watch).isNotNull();
      assertThat(resumed.next()).isEqualTo(new WatchEvent<>(WatchEvent.Type.ADDED, next));
    }
  }

  /** Sends one request at a time, as a client within its limits. */
  @Test
  void requestToABusyServerIsRepeated() throws Exception {
    String[] options = {
      "--enable-priority-and-fairness=false",
      "--max-requests-inflight=1",
      "--max-mutating-requests-inflight=1"
    };
    try (KubeApiServer server = KubeApiServer.start(directory, options)) {
      TestCluster.install(server.kubeconfig());
      String[] role = {"--clusterrole=cluster-admin", "--user=tester"};
      new Kubectl(server.kubeconfig())
          .run("create", "clusterrolebinding", "tester", role[0], role[1]);
      ExecutorService pool = Executors.newFixedThreadPool(8);
      try (KubernetesConnection connection = TestCluster.connect(server.kubeconfigOfTester());
          KubernetesResourceStore store =
              new KubernetesResourceStore(connection, new ResourceJson(), Clock.systemUTC())) {
        List<Callable<Setting>> creates = new ArrayList<>();
        for (int i = 0; i < 48; i++) {
          String name = "busy-" + i;
          creates.add(() -> store.create(setting(name, "1")));
        }

        for (Future<Setting> created : pool.invokeAll(creates)) {
          assertThat(created.get().metadata().uid()).isNotEmpty();
        }

        assertThat(connection.refusals()).as("answers 429").isPositive();
      } finally {
        pool.shutdownNow();
      }
    }
  }

  @Test
  void missingDefinitionsAreNotTreatedAsDeletions() throws Exception {
    try (KubeApiServer server = KubeApiServer.start(directory);
        KubernetesResourceStore store = TestCluster.store(server.kubeconfig())) {
      assertThat(codeOf(() -> store.get(Setting.KIND, "a"))).isEqualTo(ErrorCode.UNREACHABLE);
      assertThat(codeOf(() -> store.delete(Setting.KIND, "a", "")))
          .isEqualTo(ErrorCode.UNREACHABLE);
    }
  }

  @Test
  void leasesAreThoseOfKubernetes() throws Exception {
    KubeApiServer server = TestCluster.server();
    Kubectl kubectl = new Kubectl(server.kubeconfig());
    try (KubernetesResourceStore store = TestCluster.store(server.kubeconfig())) {
      TestCluster.clear(store);
      Lease held =
          store.create(
              Lease.of("l", LeaseSpec.EMPTY.withHolderIdentity("n").withLeaseDurationSeconds(5)));

      assertThat(kubectl.run("get", "leases.coordination.k8s.io", "-n", "holdfast-system").output())
          .containsPattern("l +n ");

      Lease free = store.update(held.withSpec(held.spec().withHolderIdentity("")));
      assertThat(free.spec().holderIdentity()).isEmpty();
      assertThat(store.list(Lease.KIND, LabelSelector.ALL).items()).containsExactly(free);
    }
  }
}
