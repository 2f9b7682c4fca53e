package dev.holdfast.node.internal;

import dev.holdfast.engine.ScrubResult;
import dev.holdfast.engine.ScrubbableVolume;
import dev.holdfast.engine.SnapshotInfo;
import dev.holdfast.engine.SnapshotRequest;
import dev.holdfast.engine.SnapshotVolume;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.Portal;
import dev.holdfast.node.internal.SnapshotPass.EngineFailure;
import dev.holdfast.resource.RequestOutcome;
import dev.holdfast.resource.Snapshot;
import dev.holdfast.resource.SnapshotStatus;
import dev.holdfast.resource.Volume;
import dev.holdfast.store.ResourceStore;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What is done with a volume's snapshots on request. */
final class SnapshotActions {
  private static final Logger LOG = LoggerFactory.getLogger(SnapshotActions.class);
  private static final String REVERT_LABEL = "holdfast.dev/before-revert-to";
  private static final DateTimeFormatter STAMP =
      DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss-SSS").withZone(ZoneOffset.UTC);

  private final ResourceStore store;
  private final InstantSource clock;
  private final Executor threads;
  private final boolean shown;
  private final Set<String> scrubbing;
  private final Shows shows;

  /** Where snapshots are shown: through this portal, if there is one, and noted here. */
  record Shows(Optional<Portal> portal, Optional<SnapshotExports> exports) {}

  /**
   * Creates the actions of one pass.
   *
   * @param threads for what takes long
   * @param shown whether hosts can use the volume
   * @param scrubbing requests that are under way in this process
   * @param shows where snapshots are shown
   */
  SnapshotActions(
      ResourceStore store,
      InstantSource clock,
      Executor threads,
      boolean shown,
      Set<String> scrubbing,
      Shows shows) {
    this.store = store;
    this.clock = clock;
    this.threads = threads;
    this.shown = shown;
    this.scrubbing = scrubbing;
    this.shows = shows;
  }

  /** Whether its status tells of an export that went with an earlier opening. */
  boolean isToBeShownAgain(Snapshot snapshot) {
    return !snapshot.status().endpoint().isEmpty()
        && shows.exports().filter(e -> e.isShown(snapshot.nameInVolume())).isEmpty();
  }

  /** Shows a snapshot to hosts as wanted, and returns the status that says where. */
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
    if (shows.portal().isEmpty() || shows.exports().isEmpty()) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          "volume " + volume.name() + ": no portal is installed: install its bundle");
    }
    return shows
        .exports()
        .get()
        .show(shows.portal().get(), volume.spec().frontend(), opened, snapshot.nameInVolume());
  }

  void hide(Snapshot snapshot) {
    shows.exports().ifPresent(exports -> exports.hide(snapshot.nameInVolume()));
  }

  void take(Volume volume, SnapshotVolume opened, SnapshotRequest request) throws StorageException {
    opened.createSnapshot(request);
  }

  /**
   * Makes a snapshot the live content, once for each request. The live content is kept as a
   * snapshot of its own before: so a revert can be taken back, and after a crash the chain tells
   * whether it took place.
   */
  Optional<Snapshot> revert(
      Snapshot snapshot, SnapshotVolume opened, Map<String, SnapshotInfo> listed)
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

  /** Compares a snapshot with its checksum, on a thread of its own, because that takes long. */
  void scrub(Snapshot snapshot, SnapshotVolume opened) throws StorageException {
    String request = snapshot.metadata().uid() + "/" + snapshot.spec().scrubRequest();
    if (!(opened instanceof ScrubbableVolume scrubbable)) {
      record(
          snapshot,
          status ->
              status.withScrub(
                  SnapshotStatuses.ended(
                      snapshot.spec().scrubRequest(),
                      clock.instant(),
                      "",
                      "the engine of volume "
                          + snapshot.spec().volume()
                          + " keeps no checksums of snapshots")));
      return;
    }
    if (scrubbing.add(request)) {
      threads.execute(
          () -> {
            try {
              scrubNow(snapshot, scrubbable);
            } finally {
              scrubbing.remove(request);
            }
          });
    }
  }

  private void scrubNow(Snapshot snapshot, ScrubbableVolume opened) {
    String wanted = snapshot.spec().scrubRequest();
    String result = "";
    String error = "";
    Optional<ScrubResult> found = Optional.empty();
    try {
      ScrubResult scrubbed = opened.scrub(snapshot.nameInVolume());
      found = Optional.of(scrubbed);
      result =
          scrubbed.repaired().isEmpty()
              ? "all replicas agree"
              : "repaired on " + String.join(", ", scrubbed.repaired());
    } catch (StorageException e) {
      if (e.code() == ErrorCode.BUSY || e.code() == ErrorCode.UNREACHABLE) {
        return;
      }
      error = String.valueOf(e.getMessage());
    }
    RequestOutcome outcome = SnapshotStatuses.ended(wanted, clock.instant(), result, error);
    String checksum = found.map(ScrubResult::checksum).orElse("");
    try {
      record(
          snapshot,
          status ->
              status
                  .withScrub(outcome)
                  .withChecksum(checksum.isEmpty() ? status.checksum() : checksum));
    } catch (StorageException e) {
      LOG.debug("snapshot {}: outcome not written", snapshot.name(), e);
    }
  }

  /** Changes a status that others may change at the same time. */
  private void record(Snapshot about, UnaryOperator<SnapshotStatus> change)
      throws StorageException {
    for (int attempt = 1; ; attempt++) {
      Optional<Snapshot> stored =
          store
              .get(Snapshot.KIND, about.name())
              .filter(s -> s.metadata().uid().equals(about.metadata().uid()));
      if (stored.isEmpty()) {
        return;
      }
      try {
        store.updateStatus(stored.get().withStatus(change.apply(stored.get().status())));
        return;
      } catch (StorageException e) {
        if (e.code() != ErrorCode.CONFLICT || attempt == 10) {
          throw e;
        }
      }
    }
  }

  /** Requests that are under way, shared by the passes of one process. */
  static Set<String> underWay() {
    return ConcurrentHashMap.newKeySet();
  }
}
