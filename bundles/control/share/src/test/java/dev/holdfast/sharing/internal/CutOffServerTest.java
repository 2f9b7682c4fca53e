package dev.holdfast.sharing.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.controller.testkit.StoreContext;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Quantity;
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
import dev.holdfast.store.ResourceStore;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.lang.reflect.Proxy;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A node that serves a share while its calls to the store hang, so that another node may serve. */
class CutOffServerTest {
  private static final String NODE = "n1";
  private static final String NAME = "files";
  private static final Instant START = Instant.parse("2026-11-29T10:00:00Z");

  private final MemoryResourceStore memory = new MemoryResourceStore();
  private final ShareHosts hosts = new ShareHosts(() -> 1);
  private final FakeShareServer server = hosts.server(NODE);
  private final ShareLeases leases = new ShareLeases();
  private Duration passed = Duration.ZERO;
  private Set<String> takenOver = Set.of();
  private final ServerGuard guard = guard();
  private final NodeShareReconciler reconciler = new NodeShareReconciler(List.of(server), guard);

  private ServerGuard guard() {
    return new ServerGuard(
        new ShareServers(List.of(server)), () -> takenOver, Runnable::run, () -> passed.toNanos());
  }

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
    ShareManager share =
        memory.create(ShareManager.of(ShareManagerSpec.EMPTY.withVolume(NAME).withServe(true)));
    memory.updateStatus(
        share.withStatus(
            share
                .status()
                .withState(InstanceState.STARTING)
                .withNodeID(NODE)
                .withEpoch(ShareEpoch.NONE.next(NODE, START))));
    step();
    step();
    assertThat(memory.get(ShareManager.KIND, NAME).orElseThrow().status().state())
        .isEqualTo(InstanceState.RUNNING);
    passed = ServerStep.AWAY;
    renew();
  }

  private void step() throws StorageException {
    new ServerWork(NAME, server, new ShareKeys(new SecretProviders()), context(memory), START)
        .step();
  }

  private StoreContext context(ResourceStore store) {
    Clock clock = Clock.fixed(START.plus(passed), ZoneOffset.UTC);
    return new StoreContext(memory, store, clock, NODE);
  }

  private void renew() throws StorageException {
    reconciler.reconcile(NODE, context(memory));
  }

  /** Advances the time, with a check at each period. */
  private void pass(Duration time) {
    Duration end = passed.plus(time);
    while (passed.compareTo(end) < 0) {
      passed = passed.plus(ServerGuard.PERIOD);
      guard.look();
    }
  }

  private boolean isHere() {
    return server.made().containsKey(NAME);
  }

  private void freeze(boolean value) {
    server.made().get(NAME).frozen = value;
  }

  @Test
  void serverEndsAlthoughACallToTheStoreDoesNotEnd() throws Exception {
    freeze(true);
    CountDownLatch called = new CountDownLatch(1);
    CountDownLatch answer = new CountDownLatch(1);
    Thread caller = new Thread(() -> renewBy(silent(called, answer)));
    caller.start();
    called.await();
    pass(ServerGuard.LIMIT);
    assertThat(caller.isAlive()).isTrue();
    assertThat(isHere()).isFalse();
    answer.countDown();
    caller.join();
  }

  private void renewBy(ResourceStore store) {
    try {
      reconciler.reconcile(NODE, context(store));
    } catch (StorageException e) {
      throw new AssertionError(e);
    }
  }

  /** Returns a store whose first answer arrives when the test ends. */
  private ResourceStore silent(CountDownLatch called, CountDownLatch answer) {
    return (ResourceStore)
        Proxy.newProxyInstance(
            CutOffServerTest.class.getClassLoader(),
            new Class<?>[] {ResourceStore.class},
            (proxy, method, arguments) -> {
              called.countDown();
              answer.await();
              return method.invoke(memory, arguments);
            });
  }

  @Test
  void formerServerHasEndedWhenItsNodeCountsAsSilent() {
    freeze(true);
    boolean silent = false;
    while (!silent) {
      silent = leases.isSilent(NODE, context(memory));
      assertThat(silent && isHere()).as("silent and serving after %s", passed).isFalse();
      pass(ServerGuard.PERIOD);
    }
    assertThat(isHere()).isFalse();
  }

  @Test
  void serverWhoseVolumeAcceptsWritesStays() {
    pass(Duration.ofMinutes(10));
    assertThat(isHere()).isTrue();
  }

  @Test
  void serverWhoseDeviceIsFencedEndsAtTheFirstWrite() {
    hosts.attached(NAME, "nbd://n2/" + NAME);
    pass(ServerGuard.SUSPICION);
    assertThat(isHere()).isFalse();
  }

  /** Its device does not answer; the address must be free for the node that has the volume. */
  @Test
  void serverWhoseVolumeWasTakenOverEndsAtOnceAlthoughTheNodeRenewsItsLease() {
    freeze(true);
    takenOver = Set.of("other");
    guard.look();
    assertThat(isHere()).isTrue();
    takenOver = Set.of(NAME);
    guard.look();
    assertThat(isHere()).isFalse();
  }

  @Test
  void serverOfANodeThatRenewsItsLeaseStaysWhileItsDeviceHangs() throws StorageException {
    freeze(true);
    for (int renewal = 0; renewal < 20; renewal++) {
      renew();
      pass(ShareLeases.PERIOD);
    }
    assertThat(isHere()).isTrue();
  }

  @Test
  void durableWriteProlongsTheTimeOfTheServer() {
    pass(Duration.ofSeconds(20));
    freeze(true);
    pass(ServerGuard.LIMIT.minus(ServerGuard.PERIOD));
    assertThat(isHere()).isTrue();
    pass(ServerGuard.PERIOD);
    assertThat(isHere()).isFalse();
  }

  @Test
  void containerThatWasStoppedForATimeTriesToWriteFirst() {
    freeze(true);
    passed = passed.plusSeconds(60);
    guard.look();
    freeze(false);
    pass(ServerGuard.DOUBT);
    assertThat(isHere()).isTrue();
  }

  /** Adds another node that can serve shares. */
  private void addOtherNode() throws StorageException {
    Node other = memory.create(Node.of("n2", NodeSpec.EMPTY));
    memory.updateStatus(
        other.withStatus(
            other
                .status()
                .withConditions(
                    Condition.with(
                        List.of(),
                        ShareManager.NODE_CONDITION,
                        Condition.Status.TRUE,
                        "Ready",
                        "",
                        START))));
    renew();
  }

  @Test
  void processesOfADeadContainerEndWhenItsNodeCountsAsSilent() throws StorageException {
    addOtherNode();
    guard.look();
    assertThat(server.limit()).contains(ServerGuard.LIMIT);
    pass(Duration.ofSeconds(2));
    assertThat(server.limit()).contains(ServerGuard.LIMIT.minusSeconds(2));
    pass(Duration.ofSeconds(10));
    assertThat(server.limit()).contains(ServerGuard.LEAST);
  }

  @Test
  void processesHaveNoLimitWhileNoOtherNodeCanServe() {
    pass(Duration.ofSeconds(20));
    assertThat(server.limit()).isEmpty();
  }

  @Test
  void processesOutliveAReplacementOfTheirBundles() throws StorageException {
    addOtherNode();
    guard.replaced();
    guard.look();
    assertThat(server.limit()).contains(ServerGuard.REPLACEMENT);
  }

  @Test
  void serverStaysWhileAnEngineMayOpenItsVolumeAfterAStart() {
    ServerGuard next = guard();
    freeze(true);
    passed = passed.plus(ServerStep.AWAY).minus(ServerGuard.LIMIT);
    next.look();
    assertThat(isHere()).isTrue();
  }
}
