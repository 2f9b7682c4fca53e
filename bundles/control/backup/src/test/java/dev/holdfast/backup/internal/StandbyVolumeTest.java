package dev.holdfast.backup.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.backuptarget.testkit.FaultyObjectStore;
import dev.holdfast.datapath.RegionCopy;
import dev.holdfast.datapath.testkit.Awaiting;
import dev.holdfast.engine.SnapshotVolume;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.cluster.PlatformSettings;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingSpec;
import dev.holdfast.resource.restore.StandbyActivation;
import dev.holdfast.resource.restore.StandbyState;
import dev.holdfast.resource.restore.StandbyStatus;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeState;
import dev.holdfast.store.LabelSelector;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Backups of one volume are applied to a standby volume of the sparse engine, which is then
 * activated.
 */
@Tag("slow")
class StandbyVolumeTest extends BackupLab {
  private byte[] first;

  @BeforeEach
  void follow() throws Exception {
    store.create(
        Setting.of(
            PlatformSettings.STANDBY_POLL_INTERVAL.name(), SettingSpec.EMPTY.withValue("1")));
    write("from", 0, 7);
    write("from", 9L * BLOCK, 8);
    write("from", 12L * BLOCK, 9);
    first = content("from");
    Backup backup = backUp("backup-1");
    make("copy", SIZE, spec -> spec.withFromBackup(backup.status().url()).withStandby(true));
    apply("backup-1");
  }

  private Backup backUp(String name) throws Exception {
    request(name);
    return completed(name);
  }

  /** Attaches the volume when it needs it, as the controllers do, until it has a backup. */
  private void apply(String backup) throws Exception {
    Awaiting.until(store, Volume.KIND, "copy", Volume::isBeingCopied);
    open("copy", false);
    Awaiting.until(
        store,
        Volume.KIND,
        "copy",
        v -> v.status().standby().lastRestored().equals(backup) && !v.awaitsContent());
    detach();
  }

  private void detach() throws Exception {
    close("copy");
    change("copy", v -> v.withStatus(v.status().withState(VolumeState.DETACHED)));
  }

  private Volume activate(StandbyActivation activation) throws Exception {
    decide(activation);
    return activated();
  }

  private void decide(StandbyActivation activation) throws Exception {
    Volume volume = store.get(Volume.KIND, "copy").orElseThrow();
    store.update(
        volume.withSpec(volume.spec().withStandby(false).withStandbyActivation(activation)));
  }

  private Volume activated() throws Exception {
    return Awaiting.until(
        store, Volume.KIND, "copy", v -> v.status().standby().state() == StandbyState.ACTIVATED);
  }

  private byte[] copied() throws Exception {
    open("copy", true);
    return content("copy");
  }

  @Test
  void eachLaterBackupIsAppliedAndKeptByOneSnapshot() throws Exception {
    write("from", 9L * BLOCK, 5);
    write("from", 3L * BLOCK, 6);
    byte[] second = content("from");
    AtomicInteger blocks = new AtomicInteger();
    backUp("backup-2");
    targets.plan =
        (call, key) -> {
          if (call == FaultyObjectStore.Call.GET && hasContent(key)) {
            blocks.incrementAndGet();
          }
        };
    apply("backup-2");
    StandbyStatus status = store.get(Volume.KIND, "copy").orElseThrow().status().standby();
    // Adjacent chunks of a pack are read with one call.
    assertThat(blocks.get()).isBetween(isPacked() ? 1 : 2, 2);
    assertThat(status.behindSeconds()).isNotNegative();
    List<Snapshot> kept =
        store.list(Snapshot.KIND, LabelSelector.ALL).items().stream()
            .filter(s -> s.spec().volume().equals("copy") && !s.isBeingDeleted())
            .toList();
    assertThat(kept).extracting(Snapshot::nameInVolume).containsExactly("restore-backup-2");

    assertThat(activate(StandbyActivation.COMPLETE_OR_REVERT).status().standby().lastRestored())
        .isEqualTo("backup-2");
    assertThat(copied()).isEqualTo(second);
  }

  /** The volume stays attached until the snapshot is gone, and no backup is applied before. */
  @Test
  void removalOfASnapshotThatTheClosingInterruptedIsCompletedAfterTheNextOpening()
      throws Exception {
    write("from", 3L * BLOCK, 6);
    backUp("backup-2");
    CompletableFuture<Void> read = new CompletableFuture<>();
    targets.plan =
        (call, key) -> {
          if (hasContent(key)) {
            read.join();
          }
        };
    Awaiting.until(store, Volume.KIND, "copy", Volume::isBeingCopied);
    open("copy", false);
    readSnapshot("restore-backup-1");
    read.complete(null);
    String earlier = Snapshot.nameFor("copy", "restore-backup-1");
    Awaiting.until(store, Snapshot.KIND, earlier, s -> s.status().markRemoved());
    detach();

    open("copy", false);
    Awaiting.untilGone(store, Snapshot.KIND, earlier);
  }

  /** Makes the engine keep the layers of a snapshot until the volume is closed. */
  private void readSnapshot(String name) throws Exception {
    RegionCopy.join(
        node.volumes
            .get(engineOf("copy"))
            .orElseThrow()
            .operate((opened, status) -> ((SnapshotVolume) opened).openSnapshot(name)));
  }

  @Test
  void activationUndoesABackupThatIsAppliedInPart() throws Exception {
    applyInPart();

    Volume activated = activate(StandbyActivation.REVERT);
    assertThat(activated.status().standby().lastRestored()).isEqualTo("backup-1");
    detach();
    assertThat(copied()).isEqualTo(first);
  }

  @Test
  void snapshotThatIsDeletedAfterTheDecisionToRevertIsKeptUntilTheRevert() throws Exception {
    applyInPart();
    detach();
    decide(StandbyActivation.REVERT);
    Awaiting.until(
        store, Volume.KIND, "copy", v -> v.status().standby().state() == StandbyState.REVERTING);
    var unused = store.delete(Snapshot.KIND, Snapshot.nameFor("copy", "restore-backup-1"), "");
    open("copy", false);

    Volume activated = activated();
    assertThat(activated.status().standby().lastRestored()).isEqualTo("backup-1");
    Awaiting.untilGone(store, Snapshot.KIND, Snapshot.nameFor("copy", "restore-backup-1"));
    detach();
    assertThat(copied()).isEqualTo(first);
  }

  @Test
  void deletedVolumeReleasesTheSnapshotOfItsRevert() throws Exception {
    applyInPart();
    detach();
    decide(StandbyActivation.REVERT);
    String name = Snapshot.nameFor("copy", "restore-backup-1");
    Awaiting.until(
        store, Snapshot.KIND, name, s -> s.metadata().hasFinalizer(Snapshot.STANDBY_FINALIZER));
    var unused = store.delete(Volume.KIND, "copy", "");

    Awaiting.until(
        store, Snapshot.KIND, name, s -> !s.metadata().hasFinalizer(Snapshot.STANDBY_FINALIZER));
  }

  private void applyInPart() throws Exception {
    write("from", 0, 1);
    write("from", 12L * BLOCK, 2);
    backUp("backup-2");
    AtomicInteger calls = new AtomicInteger();
    int callsOfABlock = isPacked() ? 1 : 2;
    targets.plan =
        (call, key) -> {
          if (hasContent(key) && calls.incrementAndGet() > callsOfABlock) {
            throw new StorageException(ErrorCode.UNREACHABLE, "the target is away");
          }
        };
    Awaiting.until(store, Volume.KIND, "copy", Volume::isBeingCopied);
    open("copy", false);
    Awaiting.until(
        store, Volume.KIND, "copy", v -> v.status().restore().message().contains("is away"));
    node.close();
    live();
  }
}
