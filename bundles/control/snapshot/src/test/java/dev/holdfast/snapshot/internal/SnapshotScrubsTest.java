package dev.holdfast.snapshot.internal;

import static dev.holdfast.datapath.testkit.VolumeResources.VOLUME;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.datapath.testkit.FakeEngine;
import dev.holdfast.datapath.testkit.FakeRegister;
import dev.holdfast.datapath.testkit.FakeScrub;
import dev.holdfast.engine.DamagedRange;
import dev.holdfast.engine.EngineListener;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.ScrubOptions;
import dev.holdfast.engine.ScrubResult;
import dev.holdfast.engine.SnapshotRequest;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingSpec;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.snapshot.SnapshotSpec;
import dev.holdfast.resource.snapshot.SnapshotStatus;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Comparisons of snapshots: their start, management and records. */
class SnapshotScrubsTest {
  private static final Instant TAKEN = Instant.parse("2026-11-01T00:00:00Z");
  private static final ScrubSettings WEEKLY =
      new ScrubSettings(Duration.ofDays(7), new ScrubOptions(1000));

  private final MemoryResourceStore store = new MemoryResourceStore();
  private final FakeEngine engine = new FakeEngine("fake", new FakeEngine.Disks());
  private final SnapshotScrubs scrubs = new SnapshotScrubs();
  private FakeEngine.Volume opened;
  private Instant now = TAKEN;

  @BeforeEach
  void open() throws Exception {
    ReplicaLocation replica =
        new ReplicaLocation(VOLUME, "vol-r-1", "node", Path.of("/disk"), "vol-1");
    engine.provisionReplica(replica, 4096);
    opened =
        (FakeEngine.Volume)
            engine.open(
                new OpenRequest(
                    VOLUME, 4096, "node", List.of(replica), new FakeRegister(), new NoListener()));
    engine.holdScrubs();
  }

  @AfterEach
  void close() {
    opened.close();
    store.close();
  }

  private static final class NoListener implements EngineListener {
    @Override
    public void replicaChanged(String replica, MemberMode mode, String reason) {}

    @Override
    public void failed(StorageException cause) {}
  }

  private Snapshot taken(String name) throws StorageException {
    opened.createSnapshot(new SnapshotRequest(name, true, TAKEN, Map.of()));
    Snapshot created =
        store.create(
            Snapshot.of(
                name, SnapshotSpec.EMPTY.withVolume(VOLUME).withScrubRequest("one-" + name)));
    return store.updateStatus(
        created.withStatus(
            SnapshotStatus.EMPTY.withReadyToUse(true).withCreationTime(Optional.of(TAKEN))));
  }

  private SnapshotScrubs.Place place() {
    return new SnapshotScrubs.Place(store, () -> now, Runnable::run);
  }

  private SnapshotStatus status(String name) throws StorageException {
    return store.get(Snapshot.KIND, name).orElseThrow().status();
  }

  private void attend() throws StorageException {
    scrubs.attend(
        VOLUME, store.list(Snapshot.KIND, LabelSelector.ALL).items(), opened, WEEKLY, place());
  }

  private FakeScrub latest() {
    return engine.latestScrub().orElseThrow();
  }

  @Test
  void progressAndOutcomeAreWrittenDown() throws Exception {
    scrubs.begin(taken("s1"), opened, ScrubOptions.UNLIMITED, place());
    attend();
    assertThat(status("s1").scrubStatus().progress()).isEqualTo(25);
    assertThat(status("s1").scrub().isPending("one-s1")).isTrue();
    latest().end(new ScrubResult("s1", "sum", List.of("vol-r-1"), 8192, List.of()));
    assertThat(status("s1").scrub().isPending("one-s1")).isFalse();
    assertThat(status("s1").scrub().result()).isEqualTo("repaired 8192 bytes on vol-r-1");
    assertThat(status("s1").checksum()).isEqualTo("sum");
    assertThat(status("s1").scrubStatus().progress()).isEqualTo(100);
    assertThat(status("s1").scrubStatus().repaired()).isEqualTo(new Quantity(8192));
    assertThat(scrubs.findings(VOLUME)).singleElement().matches(found -> !found.damaged());
    assertThat(scrubs.findings(VOLUME)).isEmpty();
  }

  @Test
  void undecidableDamageIsAnErrorThatNamesThePlace() throws Exception {
    scrubs.begin(taken("s1"), opened, ScrubOptions.UNLIMITED, place());
    DamagedRange range = new DamagedRange(40_960, 4096, List.of("a", "b"), "they differ");
    latest().end(new ScrubResult("s1", "", List.of(), 0, List.of(range)));
    assertThat(status("s1").scrub().error())
        .contains("4096 at 40960 on a, b (they differ)", "the right content is unknown");
    assertThat(status("s1").scrubStatus().damaged()).isEqualTo(new Quantity(4096));
    assertThat(scrubs.findings(VOLUME)).singleElement().matches(SnapshotScrubs.Finding::damaged);
  }

  @Test
  void oneSnapshotOfAVolumeIsComparedAtATime() throws Exception {
    scrubs.begin(taken("s1"), opened, ScrubOptions.UNLIMITED, place());
    FakeScrub first = latest();
    Snapshot second = taken("s2");
    scrubs.begin(second, opened, ScrubOptions.UNLIMITED, place());
    assertThat(latest()).isSameAs(first);
    first.end(new ScrubResult("s1", "sum", List.of(), 0, List.of()));
    scrubs.begin(second, opened, ScrubOptions.UNLIMITED, place());
    assertThat(latest().snapshot()).isEqualTo("s2");
  }

  @Test
  void aRequestThatIsTakenBackBreaksItOff() throws Exception {
    Snapshot asked = taken("s1");
    scrubs.begin(asked, opened, ScrubOptions.UNLIMITED, place());
    Snapshot stored = store.get(Snapshot.KIND, "s1").orElseThrow();
    store.update(stored.withSpec(stored.spec().withScrubRequest("")));
    attend();
    assertThat(latest().done().toCompletableFuture()).isCompletedExceptionally();
    assertThat(status("s1").scrub().finishedAt()).isEmpty();
  }

  @Test
  void aSnapshotIsComparedWhenItsTimeHasCome() throws Exception {
    taken("s1");
    now = TAKEN.plus(Duration.ofDays(7)).minusSeconds(1);
    attend();
    assertThat(engine.latestScrub()).isEmpty();
    now = TAKEN.plus(Duration.ofDays(7));
    attend();
    assertThat(latest().options()).isEqualTo(WEEKLY.options());
    latest().end(new ScrubResult("s1", "sum", List.of(), 0, List.of()));
    assertThat(status("s1").scrub().finishedAt()).contains(now);
    FakeScrub first = latest();
    attend();
    assertThat(latest()).isSameAs(first);
  }

  @Test
  void newLimitAppliesToRunningScrubs() throws Exception {
    scrubs.begin(taken("s1"), opened, ScrubOptions.UNLIMITED, place());
    attend();
    assertThat(latest().options()).isEqualTo(WEEKLY.options());
  }

  private static ScrubSettings scrubs(String hours, String bytesPerSecond) {
    return ScrubSettings.of(
        Optional.of(Setting.of("snapshot-scrub-interval", new SettingSpec(hours))),
        Optional.of(
            Setting.of("snapshot-scrub-bytes-per-second", new SettingSpec(bytesPerSecond))));
  }

  @Test
  void settingsThatMakeNoSenseHaveTheirDefaults() {
    assertThat(scrubs("24", "10Mi"))
        .isEqualTo(new ScrubSettings(Duration.ofDays(1), new ScrubOptions(10 << 20)));
    assertThat(scrubs("0", "0"))
        .isEqualTo(new ScrubSettings(Duration.ZERO, ScrubOptions.UNLIMITED));
    assertThat(scrubs("often", "-1"))
        .isEqualTo(new ScrubSettings(Duration.ofDays(7), new ScrubOptions(100 << 20)));
    assertThat(scrubs("", ""))
        .isEqualTo(new ScrubSettings(Duration.ofDays(7), new ScrubOptions(100 << 20)));
  }
}
