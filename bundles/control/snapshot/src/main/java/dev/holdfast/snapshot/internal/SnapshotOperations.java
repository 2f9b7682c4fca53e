package dev.holdfast.snapshot.internal;

import dev.holdfast.datapath.SnapshotExports;
import dev.holdfast.engine.SnapshotInfo;
import dev.holdfast.engine.SnapshotRequest;
import dev.holdfast.engine.SnapshotVolume;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.Portal;
import dev.holdfast.resource.RequestOutcome;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.snapshot.SnapshotStatus;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.snapshot.internal.SnapshotSync.EngineFailure;
import dev.holdfast.store.ResourceStore;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Operations on a volume's snapshots on request. */
final class SnapshotOperations {
  private static final Logger LOG = LoggerFactory.getLogger(SnapshotOperations.class);
  private static final String REVERT_LABEL = Snapshot.BEFORE_REVERT_LABEL;
  private static final DateTimeFormatter STAMP =
      DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss-SSS").withZone(ZoneOffset.UTC);

  private final ResourceStore store;
  private final InstantSource clock;
  private final Executor threads;
  private final boolean shown;
  private final SnapshotScrubs scrubs;
  private final ScrubSettings scrubSettings;
  private final SnapshotChanges changes;
  private final Shows shows;
  private final Together together;

  /**
   * The barrier for snapshots of several volumes, the gate that holds the requests of this volume,
   * and the freeze of filesystems.
   */
  record Together(
      GroupSnapshotBarrier meetings, GroupSnapshotBarrier.Gate gate, FreezeSession freezes) {}

  /** Means to export snapshots: the portal, if it exists, and the recorded exports. */
  record Shows(Optional<Portal> portal, SnapshotExports exports) {}

  /**
   * Creates the actions of one pass.
   *
   * @param threads for long operations
   * @param shown whether hosts can use the volume
   * @param scrubs the comparisons that run in this process
   * @param scrubSettings their interval and speed
   * @param changes the comparisons of snapshots that run in this process
   * @param shows means to export snapshots
   * @param together how snapshots of several volumes are taken consistently
   */
  SnapshotOperations(
      ResourceStore store,
      InstantSource clock,
      Executor threads,
      boolean shown,
      SnapshotScrubs scrubs,
      ScrubSettings scrubSettings,
      SnapshotChanges changes,
      Shows shows,
      Together together) {
    this.store = store;
    this.clock = clock;
    this.threads = threads;
    this.shown = shown;
    this.scrubs = scrubs;
    this.scrubSettings = scrubSettings;
    this.changes = changes;
    this.shows = shows;
    this.together = together;
  }

  /**
   * Returns whether the status of a snapshot names an export that ended with an earlier opening.
   */
  boolean isToBeShownAgain(Snapshot snapshot) {
    return !snapshot.status().endpoint().isEmpty()
        && !shows.exports().isShown(snapshot.nameInVolume());
  }

  /** Exports a snapshot to hosts as requested. Returns the status with its endpoint. */
  SnapshotStatus show(Volume volume, Snapshot snapshot, SnapshotVolume opened)
      throws EngineFailure {
    if (!snapshot.spec().exported()) {
      hide(snapshot);
      return snapshot.status().withEndpoint("");
    }
    StringBuilder endpoint = new StringBuilder();
    EngineFailure.telling(() -> endpoint.append(shown(volume, snapshot, opened)));
    return snapshot.status().withEndpoint(endpoint.toString());
  }

  private String shown(Volume volume, Snapshot snapshot, SnapshotVolume opened)
      throws StorageException {
    if (shows.portal().isEmpty()) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          "volume " + volume.name() + ": no portal is installed: install its bundle");
    }
    return shows
        .exports()
        .show(shows.portal().get(), volume.spec().frontend(), opened, snapshot.nameInVolume());
  }

  void hide(Snapshot snapshot) {
    shows.exports().hide(snapshot.nameInVolume());
  }

  /**
   * Takes a snapshot. A snapshot of a group is taken only together with the others.
   *
   * @return whether the volume's filesystem was frozen all the time
   */
  boolean take(Snapshot snapshot, SnapshotVolume opened, SnapshotRequest request)
      throws StorageException {
    Optional<SnapshotGroup> group = SnapshotGroup.of(snapshot);
    if (group.isPresent()) {
      group.get().requireWhole(store);
    }
    try (FreezeSession.Attempt freeze =
        together.freezes().attempt(snapshot.spec().volume(), shown, store)) {
      if (group.isPresent()) {
        return together
            .meetings()
            .attend(group.get(), () -> opened.prepareSnapshot(request), freeze, together.gate());
      }
      freeze.freeze();
      opened.createSnapshot(request);
      return freeze.thaw();
    }
  }

  /**
   * Makes a snapshot the live content, once for each request. Before that, the live content is kept
   * as another snapshot, so that a revert can be undone, and that after a crash the chain shows
   * whether the revert happened.
   */
  Optional<Snapshot> revert(
      Volume volume, Snapshot snapshot, SnapshotVolume opened, Map<String, SnapshotInfo> listed)
      throws StorageException, EngineFailure {
    if (shown) {
      return Optional.of(
          reverted(
              snapshot,
              "",
              "volume "
                  + snapshot.spec().volume()
                  + " was attached with a frontend: attach it without one, then ask again"));
    }
    if (volume.isStandby()) {
      return Optional.of(
          reverted(
              snapshot,
              "",
              "volume "
                  + volume.name()
                  + " is a standby volume: use 'holdfast volume activate "
                  + volume.name()
                  + "' first"));
    }
    String target = snapshot.nameInVolume();
    boolean began =
        listed.values().stream().anyMatch(info -> isKept(info, snapshot.spec().revertRequest()));
    boolean done = began && listed.get(target).children().contains(SnapshotInfo.HEAD);
    if (!done) {
      Instant now = clock.instant();
      String kept = "before-revert-" + STAMP.format(now);
      EngineFailure.telling(
          () -> {
            opened.createSnapshot(
                new SnapshotRequest(
                    kept,
                    false,
                    now.truncatedTo(ChronoUnit.SECONDS),
                    Map.of(REVERT_LABEL, snapshot.spec().revertRequest())));
            opened.revert(target);
          });
      LOG.info("volume {}: reverted to snapshot {}", snapshot.spec().volume(), target);
    }
    return Optional.of(
        reverted(snapshot, "what was there before is in a snapshot before-revert-…", ""));
  }

  private static boolean isKept(SnapshotInfo info, String request) {
    return request.equals(info.labels().get(REVERT_LABEL));
  }

  private Snapshot reverted(Snapshot snapshot, String result, String error)
      throws StorageException {
    RequestOutcome outcome =
        SnapshotStatuses.ended(snapshot.spec().revertRequest(), clock.instant(), result, error);
    return store.updateStatus(snapshot.withStatus(snapshot.status().withRevert(outcome)));
  }

  /** Starts to determine where a snapshot differs from another one. */
  void compare(Snapshot snapshot, SnapshotVolume opened) {
    changes.begin(snapshot, opened, store, threads);
  }

  /** Starts to compare a snapshot with its checksums, unless a comparison of the volume runs. */
  void scrub(Snapshot snapshot, SnapshotVolume opened) throws StorageException {
    scrubs.begin(snapshot, opened, scrubSettings.options(), place());
  }

  /** Manages running comparisons, or starts those that are due. */
  void attend(Volume volume, List<Snapshot> present, SnapshotVolume opened)
      throws StorageException {
    changes.forget(present, volume.name());
    scrubs.attend(volume.name(), present, opened, scrubSettings, place());
  }

  private SnapshotScrubs.Place place() {
    return new SnapshotScrubs.Place(store, clock, threads);
  }
}
