package dev.holdfast.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.controller.testkit.FakeControllers;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.snapshot.SnapshotSpec;
import dev.holdfast.resource.snapshot.SnapshotStatus;
import dev.holdfast.resource.volume.Volume;
import java.time.Clock;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SnapshotsTest extends StoreTest {
  private final Clock clock = Clock.fixed(FakeControllers.THEN, ZoneOffset.UTC);
  private Snapshots snapshots;

  @BeforeEach
  void makeAVolume() throws Exception {
    snapshots = new Snapshots(store, clock);
    volumes.create(VolumeRequest.of("demo", "1Gi"), PATIENT);
  }

  private Snapshot taken(String name, String parent, List<String> children, boolean byUser)
      throws Exception {
    SnapshotStatus status =
        SnapshotStatus.EMPTY
            .withReadyToUse(true)
            .withCreationTime(Optional.of(FakeControllers.THEN))
            .withParent(parent)
            .withChildren(children)
            .withUserCreated(byUser)
            .withSize(Quantity.parse("1Mi"));
    SnapshotSpec spec = SnapshotSpec.EMPTY.withVolume("demo").withSnapshotName(name);
    return store.create(Snapshot.of(Snapshot.nameFor("demo", name), spec).withStatus(status));
  }

  @Test
  void createRequestsASnapshotOfThatName() throws Exception {
    Snapshot snapshot = snapshots.create("demo", Optional.of("Before_Upgrade"), Waiting.none());
    assertThat(snapshot.nameInVolume()).isEqualTo("Before_Upgrade");
    assertThat(snapshot.spec().createSnapshot()).isTrue();
    assertThat(snapshots.get("demo", "Before_Upgrade")).isEqualTo(snapshot);
    assertThat(snapshots.get("demo", snapshot.name())).isEqualTo(snapshot);
  }

  @Test
  void aSnapshotWithoutANameIsNamedByTheTime() throws Exception {
    Snapshot snapshot = snapshots.create("demo", Optional.empty(), Waiting.none());
    assertThat(snapshot.nameInVolume()).isEqualTo("s-20261121-050000");
  }

  @Test
  void aNameIsTakenOnce() throws Exception {
    snapshots.create("demo", Optional.of("first"), Waiting.none());
    assertFails(
            ErrorCode.ALREADY_EXISTS,
            () -> snapshots.create("demo", Optional.of("first"), Waiting.none()))
        .hasMessage("volume demo has a snapshot first already");
  }

  @Test
  void waitingEndsWithTheFailure() {
    assertFails(
            ErrorCode.IO,
            () ->
                snapshots.create(
                    "demo",
                    Optional.of("first"),
                    new Waiting(PATIENT.timeout(), line -> fail("too many"))))
        .hasMessage("snapshot first of volume demo: too many");
  }

  private void fail(String error) {
    try {
      controllers.status(
          Snapshot.KIND,
          Snapshot.nameFor("demo", "first"),
          s -> s.withStatus(s.status().withError(error)));
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void timeOutReportsThatTheVolumeIsDetached() {
    assertFails(ErrorCode.TIMEOUT, () -> snapshots.create("demo", Optional.of("first"), SHORT))
        .hasMessageEndingWith("waits: volume is detached");
  }

  @Test
  void errorOfAMissingSnapshotNamesTheCommandToListThem() {
    assertFails(ErrorCode.NOT_FOUND, () -> snapshots.get("demo", "first"))
        .hasMessage("volume demo has no snapshot first: see 'holdfast snapshot list demo'");
  }

  @Test
  void revertOfAVolumeInUseNamesTheRemedy() throws Exception {
    taken("first", "", List.of("volume-head"), true);
    attachments.attach("demo", Optional.empty(), PATIENT);
    assertFails(ErrorCode.BUSY, () -> snapshots.revert("demo", "first", PATIENT))
        .hasMessage(
            "volume demo is attached to node-1, and hosts may be using it: unmount it ('holdfast"
                + " umount demo'), detach it ('holdfast volume detach demo'), then revert again");
  }

  @Test
  void purgeDeletesOnlySnapshotsOfTheSystem() throws Exception {
    taken("first", "", List.of("grown"), true);
    taken("grown", "first", List.of("last"), false);
    taken("last", "grown", List.of("volume-head"), true);
    assertThat(snapshots.purge("demo", PATIENT)).containsExactly("grown");
    assertThat(snapshots.list("demo").items())
        .extracting(Snapshot::nameInVolume)
        .containsExactly("first", "last");
  }

  @Test
  void expandOfADetachedVolumeIsRemembered() throws Exception {
    Volume volume = volumes.expand("demo", "2Gi", PATIENT);
    assertThat(volume.spec().size()).isEqualTo(Quantity.parse("2Gi"));
    assertFails(ErrorCode.INVALID, () -> volumes.expand("demo", "1Gi", PATIENT))
        .hasMessageContaining("must not be smaller than the present 2Gi");
  }

  @Test
  void limitsAreChangedOneByOne() throws Exception {
    volumes.change("demo", spec -> spec.withQos(spec.qos().withIops(100)));
    Volume volume =
        volumes.change(
            "demo", spec -> spec.withQos(spec.qos().withBandwidth(Quantity.parse("10Mi"))));
    assertThat(volume.spec().qos().iops()).isEqualTo(100);
    assertThat(volume.spec().qos().bandwidth()).isEqualTo(Quantity.parse("10Mi"));
    assertFails(
            ErrorCode.INVALID,
            () -> volumes.change("demo", spec -> spec.withQos(spec.qos().withReadIops(-1))))
        .hasMessageContaining("spec.qos.readIops");
  }
}
