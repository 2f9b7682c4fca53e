package dev.holdfast.snapshot.internal;

import dev.holdfast.engine.DamagedRange;
import dev.holdfast.engine.Scrub;
import dev.holdfast.engine.ScrubOptions;
import dev.holdfast.engine.ScrubResult;
import dev.holdfast.engine.ScrubbableVolume;
import dev.holdfast.engine.SnapshotVolume;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.RequestOutcome;
import dev.holdfast.resource.snapshot.ScrubStatus;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.store.ResourceStore;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The comparisons of snapshots with their checksums that run on this node, at most one for each
 * volume. A comparison that ended because its volume was closed starts again with the next opening.
 * Thread-safe.
 */
final class SnapshotScrubs {
  private static final Logger LOG = LoggerFactory.getLogger(SnapshotScrubs.class);
  private static final int MOST_TOLD = 3;

  private final Map<String, Running> running = new ConcurrentHashMap<>();
  // Guarded by itself.
  private final Map<String, List<Finding>> findings = new HashMap<>();

  private record Running(Snapshot snapshot, Scrub scrub) {}

  /** Result of a comparison that is reported to users. */
  record Finding(boolean damaged, String message) {}

  /** Store, clock and threads for the results. */
  record Place(ResourceStore store, InstantSource clock, Executor threads) {}

  /** Starts to compare a snapshot, unless another comparison of the volume runs. */
  void begin(Snapshot snapshot, SnapshotVolume opened, ScrubOptions options, Place place)
      throws StorageException {
    if (!(opened instanceof ScrubbableVolume scrubbable)) {
      ended(
          snapshot,
          place,
          "",
          "the engine of volume "
              + snapshot.spec().volume()
              + " does not support checksums of "
              + "snapshots",
          Optional.empty());
      return;
    }
    String volume = snapshot.spec().volume();
    if (running.containsKey(volume)) {
      return;
    }
    Scrub scrub;
    try {
      scrub = scrubbable.scrub(snapshot.nameInVolume(), options);
    } catch (StorageException e) {
      failed(snapshot, place, e);
      return;
    }
    Running begun = new Running(snapshot, scrub);
    running.put(volume, begun);
    scrub
        .done()
        .whenCompleteAsync(
            (result, failure) -> {
              running.remove(volume, begun);
              end(snapshot, place, result, failure);
            },
            place.threads());
  }

  /** Manages the running comparisons: ends unwanted ones, and reports the progress. */
  void attend(
      String volume, List<Snapshot> present, SnapshotVolume opened, ScrubSettings by, Place place)
      throws StorageException {
    Running now = running.get(volume);
    if (now == null) {
      Optional<Snapshot> due = present.stream().filter(s -> isDue(s, by, place)).findFirst();
      if (due.isPresent() && opened instanceof ScrubbableVolume) {
        begin(due.get(), opened, by.options(), place);
      }
      return;
    }
    boolean wanted =
        present.stream()
            .filter(s -> s.metadata().uid().equals(now.snapshot().metadata().uid()))
            .anyMatch(
                s ->
                    !s.isBeingDeleted()
                        && s.spec().scrubRequest().equals(now.snapshot().spec().scrubRequest()));
    if (wanted) {
      now.scrub().change(by.options());
      SnapshotRecords.change(
          place.store(), now.snapshot(), status -> status.withScrubStatus(progress(now.scrub())));
    } else {
      now.scrub().cancel();
    }
  }

  private static boolean isDue(Snapshot snapshot, ScrubSettings by, Place place) {
    return !by.interval().isZero()
        && snapshot.status().readyToUse()
        && !snapshot.isBeingDeleted()
        && snapshot
            .status()
            .scrub()
            .finishedAt()
            .or(() -> snapshot.status().creationTime())
            .filter(last -> !last.plus(by.interval()).isAfter(place.clock().instant()))
            .isPresent();
  }

  /** Returns the findings in a volume since the last call. */
  List<Finding> findings(String volume) {
    synchronized (findings) {
      List<Finding> found = findings.remove(volume);
      return found == null ? List.of() : List.copyOf(found);
    }
  }

  private void end(Snapshot snapshot, Place place, ScrubResult result, Throwable failure) {
    try {
      if (result != null) {
        found(snapshot, place, result);
      } else {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        failed(
            snapshot,
            place,
            cause instanceof StorageException known
                ? known
                : new StorageException(ErrorCode.INTERNAL, "a defect: " + cause, cause));
      }
    } catch (StorageException e) {
      LOG.debug("snapshot {}: could not write the result of its scrub", snapshot.name(), e);
    }
  }

  private void found(Snapshot snapshot, Place place, ScrubResult result) throws StorageException {
    String repaired =
        result.repaired().isEmpty()
            ? ""
            : "repaired "
                + result.repairedBytes()
                + " bytes on "
                + String.join(", ", result.repaired());
    String damaged = damage(result);
    tell(snapshot, repaired, damaged);
    ended(
        snapshot,
        place,
        repaired.isEmpty() && damaged.isEmpty() ? "all replicas agree" : repaired,
        damaged,
        Optional.of(result));
  }

  private static String damage(ScrubResult result) {
    if (result.damaged().isEmpty()) {
      return "";
    }
    String some =
        result.damaged().stream()
            .limit(MOST_TOLD)
            .map(SnapshotScrubs::place)
            .collect(Collectors.joining("; "));
    int more = result.damaged().size() - MOST_TOLD;
    return bytes(result.damaged())
        + " bytes are damaged and left as they are, because the right content is unknown: "
        + some
        + (more > 0 ? "; and " + more + " more places" : "");
  }

  private static String place(DamagedRange range) {
    return range.length()
        + " at "
        + range.offset()
        + " on "
        + String.join(", ", range.replicas())
        + " ("
        + range.reason()
        + ")";
  }

  private static long bytes(List<DamagedRange> ranges) {
    return ranges.stream().mapToLong(DamagedRange::length).sum();
  }

  private void tell(Snapshot snapshot, String repaired, String damaged) {
    String what = "snapshot " + snapshot.nameInVolume() + ": ";
    if (!repaired.isEmpty()) {
      LOG.warn("volume {}: {}{}", snapshot.spec().volume(), what, repaired);
      add(snapshot, new Finding(false, what + repaired));
    }
    if (!damaged.isEmpty()) {
      LOG.error("volume {}: {}{}", snapshot.spec().volume(), what, damaged);
      add(snapshot, new Finding(true, what + damaged));
    }
  }

  private void add(Snapshot snapshot, Finding finding) {
    synchronized (findings) {
      findings.computeIfAbsent(snapshot.spec().volume(), key -> new ArrayList<>()).add(finding);
    }
  }

  // After BUSY the request is served later. After UNREACHABLE the aborted comparison is unwanted,
  // or starts again.
  private static void failed(Snapshot snapshot, Place place, StorageException why)
      throws StorageException {
    if (why.code() != ErrorCode.BUSY && why.code() != ErrorCode.UNREACHABLE) {
      ended(snapshot, place, "", String.valueOf(why.getMessage()), Optional.empty());
    }
  }

  private static void ended(
      Snapshot snapshot, Place place, String result, String error, Optional<ScrubResult> found)
      throws StorageException {
    RequestOutcome outcome =
        SnapshotStatuses.ended(
            snapshot.spec().scrubRequest(), place.clock().instant(), result, error);
    SnapshotRecords.change(
        place.store(),
        snapshot,
        status ->
            status
                .withScrub(outcome)
                .withChecksum(found.map(ScrubResult::checksum).orElse(status.checksum()))
                .withScrubStatus(
                    found.map(r -> status(status.scrubStatus(), r)).orElse(status.scrubStatus())));
  }

  private static ScrubStatus progress(Scrub scrub) {
    long total = scrub.totalBytes();
    long done = Math.min(scrub.doneBytes(), total);
    int percent = total == 0 ? 0 : (int) (100 * (double) done / total);
    return ScrubStatus.EMPTY
        .withProgress(percent)
        .withDone(new Quantity(done))
        .withTotal(new Quantity(total));
  }

  private static ScrubStatus status(ScrubStatus progress, ScrubResult result) {
    return new ScrubStatus(
        100,
        progress.total(),
        progress.total(),
        new Quantity(result.repairedBytes()),
        result.repaired(),
        new Quantity(bytes(result.damaged())));
  }
}
