package dev.holdfast.snapshot.internal;

import static dev.holdfast.datapath.testkit.VolumeResources.ENGINE;
import static dev.holdfast.datapath.testkit.VolumeResources.NODE;
import static dev.holdfast.datapath.testkit.VolumeResources.VOLUME;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.IoFlags;
import dev.holdfast.datapath.testkit.Awaiting;
import dev.holdfast.datapath.testkit.FakeChain;
import dev.holdfast.datapath.testkit.FakeEngine;
import dev.holdfast.datapath.testkit.VolumeResources;
import dev.holdfast.engine.SnapshotInfo;
import dev.holdfast.engine.SnapshotRequest;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.snapshot.SnapshotSpec;
import dev.holdfast.resource.volume.DesireState;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.InstanceState;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Snapshots and the resources that describe them, on real threads. */
class SnapshotReconcilerTest {
  @TempDir private Path data;
  private final MemoryResourceStore store = new MemoryResourceStore();
  private final FakeEngine.Disks disks = new FakeEngine.Disks();
  private final FakeEngine engine = new FakeEngine("fake", disks);
  private RunningNode node;

  @BeforeEach
  void serve() throws Exception {
    store.create(Volume.of(VOLUME, VolumeSpec.EMPTY.withSize(VolumeResources.SIZE)));
    Path disk = data.resolve("disk");
    start();
    store.create(VolumeResources.replica("vol-r-00000001", NODE, disk));
    Awaiting.until(store, Replica.KIND, "vol-r-00000001", r -> r.status().provisioned());
    store.create(VolumeResources.engine(NODE, DesireState.RUNNING));
    untilState(InstanceState.RUNNING);
  }

  private void start() {
    node = new RunningNode(store, data);
    node.plugins.addEngine(engine);
  }

  @AfterEach
  void stop() {
    node.close();
    store.close();
  }

  @Test
  void absentStoreIsNotReportedAsAFailureEachTime() throws Exception {
    SnapshotReconciler reconciler = SnapshotReconciler.of(node.volumes, volume -> Optional.empty());
    StorageException away = new StorageException(ErrorCode.UNREACHABLE, "the store is away");
    assertThat(reconciler.troubled(ENGINE, away)).isEqualTo(reconciler.troubled(ENGINE, away));
    StorageException conflict = new StorageException(ErrorCode.CONFLICT, "changed since");
    assertThatThrownBy(() -> reconciler.troubled(ENGINE, conflict)).isSameAs(conflict);
  }

  private Engine untilState(InstanceState state) throws Exception {
    return Awaiting.until(store, Engine.KIND, ENGINE, e -> e.status().currentState() == state);
  }

  private Snapshot until(String name, Predicate<Snapshot> wanted) throws Exception {
    return Awaiting.until(store, Snapshot.KIND, name, wanted);
  }

  private Snapshot take(String name) throws Exception {
    store.create(Snapshot.of(name, SnapshotSpec.EMPTY.withVolume(VOLUME)));
    return until(name, s -> s.status().readyToUse());
  }

  private <R extends Resource<R>> void change(
      ResourceKind<R> kind, String name, UnaryOperator<R> change) throws StorageException {
    while (true) {
      try {
        store.update(change.apply(store.get(kind, name).orElseThrow()));
        return;
      } catch (StorageException e) {
        assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT);
      }
    }
  }

  private FakeChain chain() {
    return disks.chain(VOLUME);
  }

  private void write(int value) throws Exception {
    CompletableFuture<Optional<StorageException>> outcome = new CompletableFuture<>();
    device()
        .write(
            0,
            ByteBuffer.wrap(new byte[] {(byte) value}),
            IoFlags.NONE,
            failure -> outcome.complete(Optional.ofNullable(failure)));
    assertThat(outcome.get(30, TimeUnit.SECONDS)).isEmpty();
  }

  private int read() throws Exception {
    ByteBuffer buffer = ByteBuffer.allocate(1);
    CompletableFuture<Optional<StorageException>> outcome = new CompletableFuture<>();
    device().read(0, buffer, failure -> outcome.complete(Optional.ofNullable(failure)));
    assertThat(outcome.get(30, TimeUnit.SECONDS)).isEmpty();
    return buffer.get(0);
  }

  private BlockDevice device() {
    return engine.volume(VOLUME).orElseThrow().device();
  }

  private void withoutFrontend() throws Exception {
    change(Engine.KIND, ENGINE, e -> e.withSpec(e.spec().withDisableFrontend(true)));
    Awaiting.until(store, Engine.KIND, ENGINE, e -> e.status().endpoint().isEmpty());
  }

  private void askToRevert(String snapshot, String request) throws StorageException {
    change(Snapshot.KIND, snapshot, s -> s.withSpec(s.spec().withRevertRequest(request)));
  }

  private Snapshot untilReverted(String snapshot, String request) throws Exception {
    return until(snapshot, s -> s.status().revert().requestID().equals(request));
  }

  @Test
  void snapshotIsTakenAndReportsItsStatus() throws Exception {
    take("first");
    Snapshot second = take("second");
    assertThat(second.status().parent()).isEqualTo("first");
    assertThat(second.status().children()).containsExactly("volume-head");
    assertThat(second.status().userCreated()).isTrue();
    assertThat(second.status().creationTime()).isPresent();
    assertThat(second.status().restoreSize()).isEqualTo(VolumeResources.SIZE);
    assertThat(second.metadata().labels()).containsEntry("holdfast.dev/volume", VOLUME);
    until("first", s -> s.status().children().equals(java.util.List.of("second")));
  }

  @Test
  void importedSnapshotKeepsItsTime() throws Exception {
    Instant time = Instant.parse("2020-02-29T12:00:01Z");
    Snapshot wanted = Snapshot.of("old", SnapshotSpec.EMPTY.withVolume(VOLUME));
    store.create(
        wanted.withMetadata(
            wanted
                .metadata()
                .withAnnotations(Map.of(Snapshot.CREATED_ANNOTATION, time.toString()))));
    assertThat(until("old", s -> s.status().readyToUse()).status().creationTime()).contains(time);
  }

  @Test
  void snapshotThatTheEngineTookByItselfBecomesAResource() throws Exception {
    chain().create(new SnapshotRequest("Grow_1", false, Instant.EPOCH, Map.of()), new byte[0]);
    take("other");
    Snapshot shown =
        until(Snapshot.nameFor(VOLUME, "Grow_1"), s -> s.status().creationTime().isPresent());
    assertThat(shown.status().userCreated()).isFalse();
    assertThat(shown.nameInVolume()).isEqualTo("Grow_1");
    assertThat(shown.spec().createSnapshot()).isFalse();
  }

  @Test
  void deletedSnapshotIsReleasedAfterTheEngineRemovedIt() throws Exception {
    take("first");
    take("second");
    store.delete(Snapshot.KIND, "first", "");
    Awaiting.untilGone(store, Snapshot.KIND, "first");
    assertThat(chain().find("first")).isEmpty();
  }

  @Test
  void removalThatAStopInterruptedIsCompletedAfterTheNextStart() throws Exception {
    take("first");
    take("second");
    chain().interrupt();
    store.delete(Snapshot.KIND, "first", "");
    until("first", s -> s.status().markRemoved());
    node.close();
    start();
    Awaiting.untilGone(store, Snapshot.KIND, "first");
  }

  @Test
  void parentOfTheLiveContentIsMarkedAndRemovedWithTheNextSnapshot() throws Exception {
    take("first");
    store.delete(Snapshot.KIND, "first", "");
    Snapshot marked = until("first", s -> s.status().markRemoved());
    Volume volume = store.get(Volume.KIND, VOLUME).orElseThrow();
    assertThat(marked.needsEngine(volume)).isFalse();
    take("second");
    Awaiting.untilGone(store, Snapshot.KIND, "first");
  }

  @Test
  void removedSnapshotBelowTwoOthersKeepsNoVolumeAttached() throws Exception {
    take("first");
    take("second");
    byte[] unused = chain().revert("first");
    take("third");
    store.delete(Snapshot.KIND, "first", "");
    Snapshot kept =
        until("first", s -> s.status().markRemoved() && s.status().children().size() == 2);
    assertThat(kept.needsEngine(store.get(Volume.KIND, VOLUME).orElseThrow())).isFalse();
    store.delete(Snapshot.KIND, "second", "");
    Awaiting.untilGone(store, Snapshot.KIND, "first");
  }

  @Test
  void deletionThatAStandbyVolumeDelaysKeepsNoVolumeAttached() throws Exception {
    take("first");
    take("second");
    change(
        Snapshot.KIND,
        "first",
        s -> s.withMetadata(s.metadata().plusFinalizer(Snapshot.STANDBY_FINALIZER)));
    store.delete(Snapshot.KIND, "first", "");
    Volume volume = store.get(Volume.KIND, VOLUME).orElseThrow();
    Snapshot leaving = until("first", Snapshot::isBeingDeleted);
    assertThat(leaving.needsEngine(volume)).isFalse();
    change(
        Snapshot.KIND,
        "first",
        s -> s.withMetadata(s.metadata().minusFinalizer(Snapshot.STANDBY_FINALIZER)));
    Awaiting.untilGone(store, Snapshot.KIND, "first");
  }

  @Test
  void snapshotRemovedByATrimIsMarkedAndItsResourceIsReleased() throws Exception {
    take("first");
    change(Engine.KIND, ENGINE, e -> e.withSpec(e.spec().withUnmapMarkSnapChainRemoved(true)));
    engine.volume(VOLUME).orElseThrow().awaitTrimsRemove();
    device().trim(0, 4096, IoFlags.NONE, failure -> {});
    take("second");
    Awaiting.untilGone(store, Snapshot.KIND, "first");
  }

  @Test
  void aSnapshotThatVanishesIsLost() throws Exception {
    take("first");
    chain().lose("first");
    take("second");
    Snapshot lost = until("first", s -> !s.status().error().isEmpty());
    assertThat(lost.status().error()).startsWith("lost");
    assertThat(lost.status().readyToUse()).isFalse();
    store.delete(Snapshot.KIND, "first", "");
    Awaiting.untilGone(store, Snapshot.KIND, "first");
  }

  @Test
  void restartTakesEachSnapshotOnce() throws Exception {
    take("first");
    node.close();
    store.create(Snapshot.of("second", SnapshotSpec.EMPTY.withVolume(VOLUME)));
    start();
    until("second", s -> s.status().readyToUse());
    assertThat(chain().list()).extracting(SnapshotInfo::name).containsExactly("first", "second");
    assertThat(store.get(Snapshot.KIND, "first").orElseThrow().status().error()).isEmpty();
  }

  @Test
  void tooManySnapshotsAreRefusedBeforeAnythingIsDone() throws Exception {
    change(Volume.KIND, VOLUME, v -> v.withSpec(v.spec().withSnapshotMaxCount(2)));
    take("first");
    take("second");
    store.create(Snapshot.of("third", SnapshotSpec.EMPTY.withVolume(VOLUME)));
    Snapshot refused = until("third", s -> !s.status().error().isEmpty());
    assertThat(refused.status().error()).contains("limit is 2", "spec.snapshotMaxCount");
    assertThat(chain().list()).hasSize(2);
  }

  @Test
  void transientFailureIsReportedAndRetried() throws Exception {
    engine.failOperation(ErrorCode.BUSY);
    assertThat(take("first").status().message()).isEmpty();
  }

  @Test
  void revertRestoresTheContentAndKeepsTheFormerContentAsASnapshot() throws Exception {
    write(1);
    take("first");
    write(2);
    withoutFrontend();
    askToRevert("first", "one");
    assertThat(untilReverted("first", "one").status().revert().error()).isEmpty();
    assertThat(read()).isEqualTo(1);
    SnapshotInfo kept =
        chain().list().stream().filter(i -> !i.userCreated()).findFirst().orElseThrow();
    assertThat(chain().content(kept.name())[0]).isEqualTo((byte) 2);
    until(Snapshot.nameFor(VOLUME, kept.name()), s -> s.status().readyToUse());
  }

  @Test
  void aRevertIsCarriedOutOnceForARequest() throws Exception {
    write(1);
    take("first");
    withoutFrontend();
    askToRevert("first", "one");
    untilReverted("first", "one");
    write(3);
    take("second");
    assertThat(read()).isEqualTo(3);
    askToRevert("first", "two");
    untilReverted("first", "two");
    assertThat(read()).isEqualTo(1);
  }

  @Test
  void aRevertIsRefusedWhileHostsUseTheVolume() throws Exception {
    write(1);
    take("first");
    write(2);
    askToRevert("first", "one");
    assertThat(untilReverted("first", "one").status().revert().error())
        .contains("attached with a frontend");
    assertThat(read()).isEqualTo(2);
  }

  @Test
  void aSnapshotIsComparedWithItsChecksum() throws Exception {
    take("first");
    change(Snapshot.KIND, "first", s -> s.withSpec(s.spec().withScrubRequest("one")));
    Snapshot compared = until("first", s -> s.status().scrub().requestID().equals("one"));
    assertThat(compared.status().scrub().result()).isEqualTo("all replicas agree");
  }

  private void export(String snapshot, boolean exported) throws StorageException {
    change(Snapshot.KIND, snapshot, s -> s.withSpec(s.spec().withExported(exported)));
  }

  @Test
  void anExportedSnapshotIsReadableUntilItIsNot() throws Exception {
    take("first");
    export("first", true);
    Snapshot shown = until("first", s -> !s.status().endpoint().isEmpty());
    assertThat(shown.status().endpoint()).endsWith("/vol@first");
    assertThat(node.portal.exports()).contains("vol", "vol@first");
    export("first", false);
    until("first", s -> s.status().endpoint().isEmpty());
    assertThat(node.portal.exports()).containsExactly("vol");
  }

  @Test
  void exportedSnapshotIsPublishedAgainAfterARestartAndWithdrawnWhenDeleted() throws Exception {
    take("first");
    take("second");
    export("first", true);
    until("first", s -> !s.status().endpoint().isEmpty());
    node.close();
    assertThat(node.portal.exports()).isEmpty();
    start();
    export("second", true);
    until("second", s -> !s.status().endpoint().isEmpty());
    assertThat(node.portal.exports()).contains("vol@first", "vol@second");
    store.delete(Snapshot.KIND, "first", "");
    Awaiting.untilGone(store, Snapshot.KIND, "first");
    assertThat(node.portal.exports()).doesNotContain("vol@first");
  }

  @Test
  void anOpenVolumeGrowsToItsNewSize() throws Exception {
    take("first");
    change(Volume.KIND, VOLUME, v -> v.withSpec(v.spec().withSize(Quantity.parse("2Mi"))));
    Awaiting.until(
        store, Engine.KIND, ENGINE, e -> e.status().currentSize().equals(Quantity.parse("2Mi")));
    assertThat(node.portal.device(VOLUME).orElseThrow().size()).isEqualTo(2 << 20);
    assertThat(take("second").status().restoreSize()).isEqualTo(Quantity.parse("2Mi"));
    until("first", s -> s.status().restoreSize().equals(VolumeResources.SIZE));
  }

  @Test
  void snapshotsAreReleasedWithTheirVolume() throws Exception {
    take("first");
    store.delete(Engine.KIND, ENGINE, "");
    Awaiting.untilGone(store, Engine.KIND, ENGINE);
    store.delete(Volume.KIND, VOLUME, "");
    change(Snapshot.KIND, "first", s -> s.withSpec(s.spec().withLabels(Map.of("a", "b"))));
    Awaiting.untilGone(store, Snapshot.KIND, "first");
  }
}
