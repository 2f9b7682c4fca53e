package dev.holdfast.datapath.internal;

import static dev.holdfast.datapath.testkit.VolumeResources.ENGINE;
import static dev.holdfast.datapath.testkit.VolumeResources.NODE;
import static dev.holdfast.datapath.testkit.VolumeResources.VOLUME;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.IoFlags;
import dev.holdfast.datapath.testkit.Awaiting;
import dev.holdfast.datapath.testkit.FakeEngine;
import dev.holdfast.datapath.testkit.VolumeResources;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.volume.DesireState;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.EngineStatus;
import dev.holdfast.resource.volume.InstanceState;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.ReplicaMode;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Volumes of one node with real threads, an engine in memory and a portal that shows devices. */
class EngineReconcilerTest {
  private static final String FIRST = "vol-r-00000001";
  private static final String SECOND = "vol-r-00000002";

  @TempDir private Path disk;
  private final MemoryResourceStore store = new MemoryResourceStore();
  private final FakeEngine.Disks disks = new FakeEngine.Disks();
  private final FakeEngine engine = new FakeEngine("fake", disks);
  private RunningNode node;

  @BeforeEach
  void start() throws Exception {
    node = new RunningNode(store, disk);
  }

  @AfterEach
  void stop() {
    node.close();
    store.close();
  }

  private void make(DesireState desire) throws Exception {
    store.create(VolumeResources.replica(FIRST, NODE, disk));
    store.create(VolumeResources.replica(SECOND, NODE, disk));
    store.create(VolumeResources.engine(NODE, desire));
  }

  private Engine until(Predicate<EngineStatus> wanted) throws Exception {
    return Awaiting.until(store, Engine.KIND, ENGINE, e -> wanted.test(e.status()));
  }

  private Engine untilState(InstanceState state) throws Exception {
    return until(status -> status.currentState() == state);
  }

  private Engine untilReason(String reason) throws Exception {
    return until(status -> reasonOf(status).equals(reason));
  }

  private static String reasonOf(EngineStatus status) {
    return Condition.find(status.conditions(), EngineStatuses.READY)
        .map(Condition::reason)
        .orElse("");
  }

  private void change(UnaryOperator<Engine> change) throws StorageException {
    untilNobodyInterferes(() -> store.update(change.apply(engine())));
  }

  private void changeStatus(UnaryOperator<EngineStatus> change) throws StorageException {
    untilNobodyInterferes(
        () -> {
          Engine now = engine();
          store.updateStatus(now.withStatus(change.apply(now.status())));
        });
  }

  private Engine engine() throws StorageException {
    return store.get(Engine.KIND, ENGINE).orElseThrow();
  }

  @FunctionalInterface
  private interface Write {
    void run() throws StorageException;
  }

  private static void untilNobodyInterferes(Write write) throws StorageException {
    while (true) {
      try {
        write.run();
        return;
      } catch (StorageException e) {
        assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT);
      }
    }
  }

  private void desire(DesireState desire) throws StorageException {
    change(e -> e.withSpec(e.spec().withDesireState(desire)));
  }

  private BlockDevice exported() {
    return node.portal.device(VOLUME).orElseThrow();
  }

  private static CompletableFuture<Optional<ErrorCode>> write(BlockDevice device, int value) {
    CompletableFuture<Optional<ErrorCode>> outcome = new CompletableFuture<>();
    device.write(
        0,
        ByteBuffer.wrap(new byte[] {(byte) value}),
        IoFlags.NONE,
        failure -> outcome.complete(Optional.ofNullable(failure).map(StorageException::code)));
    return outcome;
  }

  private static int read(BlockDevice device) throws Exception {
    ByteBuffer buffer = ByteBuffer.allocate(1);
    CompletableFuture<Optional<StorageException>> outcome = new CompletableFuture<>();
    device.read(0, buffer, failure -> outcome.complete(Optional.ofNullable(failure)));
    assertThat(outcome.get(30, TimeUnit.SECONDS)).isEmpty();
    return buffer.get(0);
  }

  private void makeServed() throws Exception {
    node.plugins.addEngine(engine);
    make(DesireState.RUNNING);
    untilState(InstanceState.RUNNING);
  }

  @Test
  void aVolumeIsServedAndRefusesRequestsOnceDetached() throws Exception {
    node.plugins.addEngine(engine);
    make(DesireState.RUNNING);
    Engine running = untilState(InstanceState.RUNNING);
    assertThat(running.status().nodeID()).isEqualTo(NODE);
    assertThat(running.status().endpoint()).isEqualTo("nbd://127.0.0.1:10809/vol");
    assertThat(running.status().currentSize()).isEqualTo(VolumeResources.SIZE);
    assertThat(running.status().replicaModeMap())
        .containsOnly(
            java.util.Map.entry(FIRST, ReplicaMode.RW),
            java.util.Map.entry(SECOND, ReplicaMode.RW));
    assertThat(running.metadata().finalizers()).containsExactly(EngineStep.FINALIZER);
    BlockDevice device = exported();
    assertThat(write(device, 7).get(30, TimeUnit.SECONDS)).isEmpty();
    assertThat(read(device)).isEqualTo(7);

    desire(DesireState.STOPPED);
    Engine stopped = untilState(InstanceState.STOPPED);
    assertThat(stopped.status().endpoint()).isEmpty();
    assertThat(stopped.status().membership().generation()).isEqualTo(1);
    assertThat(node.portal.exports()).isEmpty();
    assertThat(engine.openVolumes()).isEmpty();
    assertThat(write(device, 8).get(30, TimeUnit.SECONDS)).contains(ErrorCode.IO);
    Awaiting.until(store, Engine.KIND, ENGINE, e -> e.metadata().finalizers().isEmpty());

    desire(DesireState.RUNNING);
    untilState(InstanceState.RUNNING);
    assertThat(read(exported())).isEqualTo(7);
  }

  @Test
  void aVolumeWaitsForItsEngineToBeInstalled() throws Exception {
    make(DesireState.RUNNING);
    untilReason("Busy");
    Awaiting.until(
        store,
        Replica.KIND,
        FIRST,
        r ->
            Condition.find(r.status().conditions(), Replica.PROVISIONED_CONDITION)
                .filter(c -> c.reason().equals("NotInstalled"))
                .isPresent());
    node.plugins.addEngine(engine);
    untilState(InstanceState.RUNNING);
  }

  @Test
  void failedOpeningIsReportedAndRetried() throws Exception {
    engine.failOpening(ErrorCode.UNREACHABLE);
    node.plugins.addEngine(engine);
    make(DesireState.RUNNING);
    assertThat(reasonOf(untilState(InstanceState.ERROR).status())).isEqualTo("Unreachable");
    untilState(InstanceState.RUNNING);
  }

  @Test
  void failedPublicationIsReportedAndRetried() throws Exception {
    node.portal.refuse(true);
    node.plugins.addEngine(engine);
    make(DesireState.RUNNING);
    assertThat(reasonOf(untilState(InstanceState.ERROR).status())).isEqualTo("NotInstalled");
    assertThat(engine.openVolumes()).containsExactly(VOLUME);
    node.portal.refuse(false);
    untilState(InstanceState.RUNNING);
  }

  @Test
  void aVolumeWithoutFrontendIsOpenAndNotShown() throws Exception {
    node.plugins.addEngine(engine);
    make(DesireState.STOPPED);
    change(
        e -> e.withSpec(e.spec().withDisableFrontend(true).withDesireState(DesireState.RUNNING)));
    assertThat(untilState(InstanceState.RUNNING).status().endpoint()).isEmpty();
    assertThat(node.portal.exports()).isEmpty();
    change(e -> e.withSpec(e.spec().withDisableFrontend(false)));
    until(status -> !status.endpoint().isEmpty());
    change(e -> e.withSpec(e.spec().withDisableFrontend(true)));
    until(status -> status.endpoint().isEmpty() && status.currentState() == InstanceState.RUNNING);
    assertThat(node.portal.exports()).isEmpty();
  }

  @Test
  void droppedReplicaIsReportedAtOnce() throws Exception {
    makeServed();
    engine.volume(VOLUME).orElseThrow().dropReplica(SECOND);
    until(status -> status.replicaModeMap().get(SECOND) == ReplicaMode.ERR);
    assertThat(write(exported(), 3).get(30, TimeUnit.SECONDS)).isEmpty();
  }

  @Test
  void failedEngineIsClosedAndOpenedAgain() throws Exception {
    makeServed();
    BlockDevice before = exported();
    engine.volume(VOLUME).orElseThrow().fail(ErrorCode.UNREACHABLE);
    untilState(InstanceState.ERROR);
    Engine again = untilState(InstanceState.RUNNING);
    assertThat(again.status().membership().generation()).isEqualTo(2);
    assertThat(exported()).isNotSameAs(before);
    assertThat(write(before, 1).get(30, TimeUnit.SECONDS)).contains(ErrorCode.IO);
  }

  @Test
  void requestsWaitWhileTheEngineIsReplaced() throws Exception {
    makeServed();
    BlockDevice device = exported();
    assertThat(write(device, 1).get(30, TimeUnit.SECONDS)).isEmpty();

    node.plugins.removeEngine(engine);
    assertThat(engine.openVolumes()).isEmpty();
    CompletableFuture<Optional<ErrorCode>> waiting = write(device, 2);
    assertThat(waiting).isNotDone();
    assertThat(device.size()).isEqualTo(VolumeResources.SIZE.bytes());
    // Only a long absence is reported.
    assertThat(store.get(Engine.KIND, ENGINE).orElseThrow().status().currentState())
        .isEqualTo(InstanceState.RUNNING);
    assertThat(reasonOf(untilState(InstanceState.STARTING).status())).isEqualTo("NotInstalled");

    node.plugins.addEngine(new FakeEngine("fake", disks));
    assertThat(waiting.get(30, TimeUnit.SECONDS)).isEmpty();
    assertThat(read(device)).isEqualTo(2);
    assertThat(untilState(InstanceState.RUNNING).status().endpoint()).isNotEmpty();
    assertThat(exported()).isSameAs(device);
  }

  @Test
  void aVolumeDetachesWhileItsEngineIsAway() throws Exception {
    makeServed();
    BlockDevice device = exported();
    node.plugins.removeEngine(engine);
    CompletableFuture<Optional<ErrorCode>> waiting = write(device, 2);
    desire(DesireState.STOPPED);
    untilState(InstanceState.STOPPED);
    assertThat(waiting.get(30, TimeUnit.SECONDS)).contains(ErrorCode.IO);
    assertThat(node.portal.exports()).isEmpty();
  }

  @Test
  void aPortalThatComesBackShowsTheVolumeAgain() throws Exception {
    makeServed();
    node.volumes.removePortal(node.portal);
    assertThat(node.portal.exports()).isEmpty();
    untilState(InstanceState.ERROR);
    assertThat(engine.openVolumes()).containsExactly(VOLUME);
    node.volumes.addPortal(node.portal);
    untilState(InstanceState.RUNNING);
    assertThat(node.portal.exports()).containsExactly(VOLUME);
  }

  @Test
  void deletionClosesFirst() throws Exception {
    makeServed();
    store.delete(Engine.KIND, ENGINE, "");
    Awaiting.untilGone(store, Engine.KIND, ENGINE);
    assertThat(engine.openVolumes()).isEmpty();
    assertThat(node.portal.exports()).isEmpty();
  }

  @Test
  void aSlowOpeningKeepsNoStepWaitingAndCanBeCalledOff() throws Exception {
    CountDownLatch latch = new CountDownLatch(1);
    engine.holdOpenings(latch);
    node.plugins.addEngine(engine);
    make(DesireState.RUNNING);
    engine.awaitOpening();
    desire(DesireState.STOPPED);
    untilState(InstanceState.STOPPING);
    latch.countDown();
    untilState(InstanceState.STOPPED);
    assertThat(engine.openVolumes()).isEmpty();
    assertThat(node.portal.exports()).isEmpty();
  }

  @Test
  void orderlyStopClosesAllVolumesAndKeepsTheirSpecs() throws Exception {
    makeServed();
    BlockDevice device = exported();
    write(device, 9).get(30, TimeUnit.SECONDS);
    node.close();
    assertThat(engine.openVolumes()).isEmpty();
    assertThat(node.portal.exports()).isEmpty();
    Engine stopped = store.get(Engine.KIND, ENGINE).orElseThrow();
    assertThat(stopped.status().currentState()).isEqualTo(InstanceState.STOPPED);
    assertThat(stopped.spec().desireState()).isEqualTo(DesireState.RUNNING);

    node = new RunningNode(store, disk);
    node.plugins.addEngine(engine);
    untilState(InstanceState.RUNNING);
    assertThat(read(exported())).isEqualTo(9);
  }

  @Test
  void aKilledProcessIsRepairedByTheNextStart() throws Exception {
    makeServed();
    write(exported(), 5).get(30, TimeUnit.SECONDS);
    node.kill();
    assertThat(store.get(Engine.KIND, ENGINE).orElseThrow().status().currentState())
        .isEqualTo(InstanceState.RUNNING);

    node = new RunningNode(store, disk);
    node.plugins.addEngine(new FakeEngine("fake", disks));
    until(
        status ->
            status.currentState() == InstanceState.RUNNING
                && status.membership().generation() == 2);
    assertThat(read(exported())).isEqualTo(5);
  }

  @Test
  void aVolumeThatAnotherNodeHasOpenIsNotTouched() throws Exception {
    node.plugins.addEngine(engine);
    make(DesireState.STOPPED);
    changeStatus(status -> status.withNodeID("node-2").withCurrentState(InstanceState.RUNNING));
    desire(DesireState.RUNNING);
    Awaiting.until(store, Replica.KIND, SECOND, r -> r.status().provisioned());
    assertThat(engine.openVolumes()).isEmpty();
    assertThat(engine().status().nodeID()).isEqualTo("node-2");
    changeStatus(status -> status.withCurrentState(InstanceState.STOPPED));
    until(s -> s.currentState() == InstanceState.RUNNING && s.nodeID().equals(NODE));
  }
}
