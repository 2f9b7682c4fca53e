package dev.holdfast.snapshot.internal;

import static dev.holdfast.datapath.testkit.VolumeResources.NODE;
import static dev.holdfast.datapath.testkit.VolumeResources.VOLUME;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.datapath.testkit.Awaiting;
import dev.holdfast.datapath.testkit.FakeEngine;
import dev.holdfast.datapath.testkit.VolumeResources;
import dev.holdfast.engine.SnapshotInfo;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.cluster.Event;
import dev.holdfast.resource.cluster.PlatformSettings;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingSpec;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.snapshot.SnapshotSpec;
import dev.holdfast.resource.volume.DesireState;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.InstanceState;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.SettingOverride;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Conditions under which a filesystem is frozen for a snapshot, and the reported status. */
@Timeout(60)
class FreezeSessionTest {
  @TempDir private Path data;
  private final MemoryResourceStore store = new MemoryResourceStore();
  private final FakeEngine.Disks disks = new FakeEngine.Disks();
  private final FakeEngine engine = new FakeEngine("fake", disks);
  private final List<String> steps = new CopyOnWriteArrayList<>();
  private final AtomicBoolean snapshotFails = new AtomicBoolean();
  private volatile boolean mounted = true;
  private volatile Optional<String> freezeFails = Optional.empty();
  private volatile Optional<String> thawTells = Optional.empty();
  private RunningNode node;

  @BeforeEach
  void serve() throws Exception {
    store.create(Volume.of(VOLUME, VolumeSpec.EMPTY.withSize(VolumeResources.SIZE)));
    Path disk = data.resolve("disk");
    node = new RunningNode(store, data, this::freeze);
    node.plugins.addEngine(engine);
    store.create(VolumeResources.replica("vol-r-00000001", NODE, disk));
    Awaiting.until(store, Replica.KIND, "vol-r-00000001", r -> r.status().provisioned());
    store.create(VolumeResources.engine(NODE, DesireState.RUNNING));
    Awaiting.until(
        store,
        Engine.KIND,
        VolumeResources.ENGINE,
        e ->
            e.status().currentState() == InstanceState.RUNNING && !e.status().endpoint().isEmpty());
  }

  @AfterEach
  void stop() {
    node.close();
    store.close();
  }

  private Optional<FilesystemFreezer.Frozen> freeze(String volume) throws StorageException {
    if (freezeFails.isPresent()) {
      throw new StorageException(ErrorCode.BUSY, freezeFails.get());
    }
    steps.add("freeze, there are " + taken());
    if (snapshotFails.getAndSet(false)) {
      engine.failOperation(ErrorCode.BUSY);
    }
    return mounted
        ? Optional.of(
            () -> {
              steps.add("thaw, there are " + taken());
              return thawTells;
            })
        : Optional.empty();
  }

  private List<String> taken() {
    return disks.chain(VOLUME).list().stream().map(SnapshotInfo::name).toList();
  }

  private void rule(SettingOverride rule) throws StorageException {
    Volume volume = store.get(Volume.KIND, VOLUME).orElseThrow();
    store.update(volume.withSpec(volume.spec().withFreezeFilesystemForSnapshot(rule)));
  }

  private Snapshot take(String name) throws Exception {
    store.create(Snapshot.of(name, SnapshotSpec.EMPTY.withVolume(VOLUME)));
    return Awaiting.until(store, Snapshot.KIND, name, s -> s.status().readyToUse());
  }

  private String reported() throws Exception {
    while (true) {
      for (Event event : store.list(Event.KIND, LabelSelector.ALL).items()) {
        if (event.toString().contains("FilesystemNotFrozen")) {
          return event.toString();
        }
      }
      TimeUnit.MILLISECONDS.sleep(5);
    }
  }

  @Test
  void itIsFrozenFromBeforeTheSnapshotUntilAfterIt() throws Exception {
    rule(SettingOverride.ENABLED);
    assertThat(take("first").status().filesystemFrozen()).isTrue();
    assertThat(steps).containsExactly("freeze, there are []", "thaw, there are [first]");
  }

  @Test
  void theSettingCountsForVolumesThatIgnoreIt() throws Exception {
    assertThat(take("first").status().filesystemFrozen()).isFalse();
    store.create(Setting.of(PlatformSettings.FREEZE_FILESYSTEM.name(), new SettingSpec("true")));
    assertThat(take("second").status().filesystemFrozen()).isTrue();
    rule(SettingOverride.DISABLED);
    assertThat(take("third").status().filesystemFrozen()).isFalse();
    assertThat(steps).hasSize(2);
  }

  @Test
  void failedFreezeIsReportedAndFailsNoSnapshot() throws Exception {
    rule(SettingOverride.ENABLED);
    freezeFails = Optional.of("it is frozen already");
    assertThat(take("first").status().filesystemFrozen()).isFalse();
    assertThat(reported()).contains("crash-consistent only: it is frozen already");
  }

  @Test
  void aFreezeThatDidNotLastIsNotClaimed() throws Exception {
    rule(SettingOverride.ENABLED);
    thawTells = Optional.of("it was thawed after 10 s");
    assertThat(take("first").status().filesystemFrozen()).isFalse();
    assertThat(reported()).contains("it was thawed after 10 s");
  }

  @Test
  void volumeThatRequiresAFreezeAndIsNotMountedHereIsReported() throws Exception {
    rule(SettingOverride.ENABLED);
    mounted = false;
    assertThat(take("first").status().filesystemFrozen()).isFalse();
    assertThat(reported()).contains("no filesystem of it is mounted");
  }

  @Test
  void itIsThawedWhenTheSnapshotFails() throws Exception {
    rule(SettingOverride.ENABLED);
    snapshotFails.set(true);
    assertThat(take("first").status().filesystemFrozen()).isTrue();
    assertThat(steps)
        .containsSubsequence("freeze, there are []", "thaw, there are []", "freeze, there are []");
  }

  @Test
  void ruleOfTheMomentOfTheSnapshotCounts() throws Exception {
    FreezeSession session = new FreezeSession(this::freeze);
    rule(SettingOverride.ENABLED);
    assertThat(wasFrozen(session)).isTrue();
    rule(SettingOverride.DISABLED);
    assertThat(wasFrozen(session)).isFalse();
  }

  private boolean wasFrozen(FreezeSession session) throws StorageException {
    try (FreezeSession.Attempt attempt = session.attempt(VOLUME, true, store)) {
      attempt.freeze();
      return attempt.thaw();
    }
  }
}
