package dev.holdfast.sharing.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.controller.EventRecorder;
import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.KindCatalogue;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import dev.holdfast.resource.volume.AccessMode;
import dev.holdfast.resource.volume.InstanceState;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.resource.volume.VolumeState;
import dev.holdfast.secret.SecretProviders;
import dev.holdfast.share.ShareEpoch;
import dev.holdfast.share.ShareManager;
import dev.holdfast.share.ShareManagerSpec;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.lang.reflect.Proxy;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A node that serves a share and cannot ask the store, so that another node may serve by now. */
class CutOffServerTest {
  private static final String NODE = "n1";
  private static final String NAME = "files";
  private static final Instant START = Instant.parse("2026-11-29T10:00:00Z");

  private final MemoryResourceStore memory = new MemoryResourceStore();
  private final ShareHosts hosts = new ShareHosts(() -> 1);
  private final FakeShareServer server = hosts.server(NODE);
  private final Stopwatches watches = new Stopwatches();
  private Instant now = START;
  private boolean away;
  private ShareManager share = ShareManager.of(ShareManagerSpec.EMPTY.withVolume(NAME));

  @BeforeEach
  void serve() throws StorageException {
    Node node = memory.create(Node.of(NODE, NodeSpec.EMPTY));
    memory.updateStatus(node.withStatus(node.status().withAddress("10.0.0.1")));
    Volume volume =
        memory.create(
            Volume.of(
                NAME,
                VolumeSpec.EMPTY
                    .withSize(new Quantity(64 << 20))
                    .withAccessMode(AccessMode.READ_WRITE_MANY)));
    String endpoint = "nbd://" + NODE + "/" + NAME;
    hosts.attached(NAME, endpoint);
    memory.updateStatus(
        volume.withStatus(
            volume
                .status()
                .withState(VolumeState.ATTACHED)
                .withCurrentNodeID(NODE)
                .withEndpoint(endpoint)));
    share = memory.create(ShareManager.of(ShareManagerSpec.EMPTY.withVolume(NAME).withServe(true)));
    share =
        memory.updateStatus(
            share.withStatus(
                share
                    .status()
                    .withState(InstanceState.STARTING)
                    .withNodeID(NODE)
                    .withEpoch(ShareEpoch.NONE.next(NODE, START))));
    step();
    step();
    share = memory.get(ShareManager.KIND, NAME).orElseThrow();
    assertThat(share.status().state()).isEqualTo(InstanceState.RUNNING);
    away = true;
  }

  private void step() throws StorageException {
    new ServerWork(
            NAME, server, new ShareKeys(new SecretProviders()), new Context(), watches, START)
        .step(share);
  }

  private void stepWithoutStore(Duration later) {
    now = START.plus(later);
    assertThatThrownBy(this::step)
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNREACHABLE));
  }

  private boolean isHere() {
    return server.made().containsKey(NAME);
  }

  @Test
  void serverWhoseDeviceAnswersStays() {
    stepWithoutStore(Duration.ZERO);
    stepWithoutStore(Duration.ofHours(1));
    assertThat(isHere()).isTrue();
  }

  @Test
  void serverWhoseDeviceIsFencedEndsAtOnce() {
    hosts.attached(NAME, "nbd://n2/" + NAME);
    stepWithoutStore(Duration.ZERO);
    assertThat(isHere()).isFalse();
  }

  @Test
  void serverWhoseDeviceHangsEndsAfterATime() {
    server.made().get(NAME).frozen = true;
    stepWithoutStore(Duration.ZERO);
    stepWithoutStore(ServerWork.CUT_OFF.minusMillis(1));
    assertThat(isHere()).isTrue();
    stepWithoutStore(ServerWork.CUT_OFF);
    assertThat(isHere()).isFalse();
  }

  @Test
  void timeBeginsAnewWhenTheDeviceOrTheStoreAnswered() throws StorageException {
    server.made().get(NAME).frozen = true;
    stepWithoutStore(Duration.ZERO);
    server.made().get(NAME).frozen = false;
    stepWithoutStore(Duration.ofSeconds(20));
    server.made().get(NAME).frozen = true;
    stepWithoutStore(Duration.ofSeconds(22));
    stepWithoutStore(Duration.ofSeconds(40));
    away = false;
    step();
    away = true;
    stepWithoutStore(Duration.ofSeconds(60));
    assertThat(isHere()).isTrue();
  }

  /** A cache that has everything, and a store that may be away. */
  private final class Context implements ReconcileContext {
    @Override
    public <R extends Resource<R>> Optional<R> get(ResourceKind<R> kind, String name) {
      return memory.get(kind, name);
    }

    @Override
    public <R extends Resource<R>> List<R> list(ResourceKind<R> kind, LabelSelector selector) {
      return memory.list(kind, selector).items();
    }

    @Override
    public ResourceStore store() {
      return away
          ? (ResourceStore)
              Proxy.newProxyInstance(
                  getClass().getClassLoader(),
                  new Class<?>[] {ResourceStore.class},
                  (proxy, method, arguments) -> {
                    throw new StorageException(ErrorCode.UNREACHABLE, "the store is away");
                  })
          : memory;
    }

    @Override
    public KindCatalogue kinds() {
      throw new UnsupportedOperationException("kinds");
    }

    @Override
    public Clock clock() {
      return Clock.fixed(now, ZoneOffset.UTC);
    }

    @Override
    public String nodeName() {
      return NODE;
    }

    @Override
    public EventRecorder events() {
      return new EventRecorder() {
        @Override
        public void normal(Resource<?> about, String reason, String message) {}

        @Override
        public void warning(Resource<?> about, String reason, String message) {}
      };
    }
  }
}
