package dev.holdfast.datapath.internal;

import static dev.holdfast.datapath.testkit.VolumeResources.ENGINE;
import static dev.holdfast.datapath.testkit.VolumeResources.NODE;
import static dev.holdfast.datapath.testkit.VolumeResources.VOLUME;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.IoFlags;
import dev.holdfast.datapath.InstalledEngine;
import dev.holdfast.datapath.testkit.Awaiting;
import dev.holdfast.datapath.testkit.VolumeResources;
import dev.holdfast.engine.EngineProvider;
import dev.holdfast.engine.example.memory.internal.MemoryEngine;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.volume.DesireState;
import dev.holdfast.resource.volume.InstanceState;
import dev.holdfast.store.memory.MemoryResourceStore;
import dev.holdfast.upgrade.ReplaceablePart;
import dev.holdfast.upgrade.ServingBundle;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.osgi.framework.Version;

/** Bundles of an engine that come and go while its volume is written. */
class EngineReplacementTest {
  private static final String NAME = "example-memory";
  private static final Duration LIMIT = Duration.ofSeconds(30);

  @TempDir private Path disk;
  private final MemoryResourceStore store = new MemoryResourceStore();
  private RunningNode node;
  private EngineReplacementSource parts;

  @BeforeEach
  void start() throws Exception {
    node = new RunningNode(store, disk);
    parts = new EngineReplacementSource(node.plugins, node.volumes);
  }

  @AfterEach
  void stop() {
    node.close();
    store.close();
  }

  private void install(EngineProvider engine, long bundle, String version) {
    node.plugins.add(
        new InstalledEngine(engine, bundle, "dev.example", Version.parseVersion(version), 0));
  }

  private BlockDevice serve(EngineProvider engine) throws Exception {
    install(engine, 1, "1.0");
    var replica = VolumeResources.replica("vol-r-00000001", NODE, disk);
    store.create(replica.withSpec(replica.spec().withDataEngine(NAME)));
    var wanted = VolumeResources.engine(NODE, DesireState.RUNNING);
    store.create(wanted.withSpec(wanted.spec().withDataEngine(NAME)));
    untilState(InstanceState.RUNNING);
    return node.portal.device(VOLUME).orElseThrow();
  }

  private dev.holdfast.resource.volume.Engine untilState(InstanceState state) throws Exception {
    return Awaiting.until(
        store,
        dev.holdfast.resource.volume.Engine.KIND,
        ENGINE,
        e -> e.status().currentState() == state);
  }

  private static CompletableFuture<Optional<StorageException>> write(BlockDevice device, int at) {
    CompletableFuture<Optional<StorageException>> outcome = new CompletableFuture<>();
    device.write(
        at,
        ByteBuffer.wrap(new byte[] {(byte) at}),
        IoFlags.NONE,
        failure -> outcome.complete(Optional.ofNullable(failure)));
    return outcome;
  }

  private static void written(BlockDevice device, int at) throws Exception {
    assertThat(write(device, at).get(30, TimeUnit.SECONDS)).isEmpty();
  }

  private static void holds(BlockDevice device, int upTo) throws Exception {
    ByteBuffer buffer = ByteBuffer.allocate(upTo + 1);
    CompletableFuture<Optional<StorageException>> outcome = new CompletableFuture<>();
    device.read(0, buffer, failure -> outcome.complete(Optional.ofNullable(failure)));
    assertThat(outcome.get(30, TimeUnit.SECONDS)).isEmpty();
    for (int at = 0; at <= upTo; at++) {
      assertThat(buffer.get(at)).isEqualTo((byte) at);
    }
  }

  private static void until(BooleanSupplier condition) {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("deadline").isLessThan(end);
      Thread.onSpinWait();
    }
  }

  private ReplaceablePart part() {
    return parts.parts().stream().filter(p -> p.name().equals(NAME)).findFirst().orElseThrow();
  }

  private boolean servedBy(long bundle) {
    return part().bundles().stream()
        .filter(b -> b.id() == bundle)
        .map(ServingBundle::served)
        .anyMatch(served -> served == 1);
  }

  @Test
  void volumeMovesToTheHigherVersionAndBackAfterItsRemoval() throws Exception {
    BlockDevice device = serve(new MemoryEngine());
    written(device, 0);
    MemoryEngine newer = new MemoryEngine();
    install(newer, 2, "1.1");
    until(() -> servedBy(2));
    written(device, 1);
    install(new MemoryEngine(), 3, "1.0.9");
    node.plugins.removeEngine(newer);
    assertThat(servedBy(3)).isTrue();
    written(device, 2);
    holds(device, 2);
    assertThat(node.portal.device(VOLUME)).containsSame(device);
    assertThat(part().failures()).isEmpty();
    assertThat(part().lastPauses()).hasSize(1);
    assertThat(untilState(InstanceState.RUNNING).status().membership().generation()).isEqualTo(1);
  }

  @Test
  void olderVersionGetsNoVolume() throws Exception {
    BlockDevice device = serve(new MemoryEngine());
    written(device, 0);
    MemoryEngine older = new MemoryEngine();
    install(older, 2, "0.9");
    node.plugins.removeEngine(older);
    assertThat(servedBy(1)).isTrue();
    holds(device, 0);
  }

  @ParameterizedTest
  @EnumSource(DefectiveEngine.Defect.class)
  void volumeThatTheNewVersionCannotResumeReturns(DefectiveEngine.Defect defect) throws Exception {
    BlockDevice device = serve(new MemoryEngine());
    written(device, 0);
    DefectiveEngine defective = new DefectiveEngine(new MemoryEngine(), defect);
    install(defective, 2, "1.1");
    until(() -> !part().failures().isEmpty());
    written(device, 1);
    assertThat(servedBy(1)).isTrue();
    assertThat(part().failures().get(0).bundle()).isEqualTo(2);
    assertThat(part().failures().get(0).subject()).isEqualTo(VOLUME);
    Awaiting.until(
        store,
        dev.holdfast.resource.volume.Engine.KIND,
        ENGINE,
        e -> Condition.find(e.status().conditions(), "EngineReplacementFailed").isPresent());
    install(new MemoryEngine(), 3, "1.2");
    until(() -> servedBy(3));
    node.plugins.removeEngine(defective);
    written(device, 2);
    holds(device, 2);
    Awaiting.until(
        store,
        dev.holdfast.resource.volume.Engine.KIND,
        ENGINE,
        e -> Condition.find(e.status().conditions(), "EngineReplacementFailed").isEmpty());
    assertThat(untilState(InstanceState.RUNNING).status().membership().generation()).isEqualTo(1);
  }

  @Test
  void requestsWaitWhileABundleIsUpdatedInPlace() throws Exception {
    MemoryEngine before = new MemoryEngine();
    BlockDevice device = serve(before);
    written(device, 0);
    node.plugins.removeEngine(before);
    assertThat(part().parked()).isEqualTo(1);
    CompletableFuture<Optional<StorageException>> waiting = write(device, 1);
    DefectiveEngine defective =
        new DefectiveEngine(new MemoryEngine(), DefectiveEngine.Defect.HANGS);
    install(defective, 1, "1.1");
    until(() -> !part().failures().isEmpty());
    node.plugins.removeEngine(defective);
    assertThat(waiting).isNotDone();
    install(new MemoryEngine(), 1, "1.2");
    assertThat(waiting.get(30, TimeUnit.SECONDS)).isEmpty();
    holds(device, 1);
    assertThat(untilState(InstanceState.RUNNING).status().membership().generation()).isEqualTo(1);
  }

  @Test
  void formerEngineIsNotReachableFromMemory() throws Exception {
    List<WeakReference<EngineProvider>> former = replacedThrice();
    until(
        () -> {
          System.gc();
          return former.stream().allMatch(reference -> reference.refersTo(null));
        });
  }

  private List<WeakReference<EngineProvider>> replacedThrice() throws Exception {
    MemoryEngine first = new MemoryEngine();
    BlockDevice device = serve(first);
    MemoryEngine second = new MemoryEngine();
    install(second, 2, "1.1");
    until(() -> servedBy(2));
    node.plugins.removeEngine(first);
    DefectiveEngine third = new DefectiveEngine(new MemoryEngine(), DefectiveEngine.Defect.THROWS);
    install(third, 3, "1.2");
    until(() -> !part().failures().isEmpty());
    node.plugins.removeEngine(third);
    node.plugins.removeEngine(second);
    install(new MemoryEngine(), 4, "1.3");
    written(device, 0);
    return List.of(
        new WeakReference<>(first), new WeakReference<>(second), new WeakReference<>(third));
  }
}
