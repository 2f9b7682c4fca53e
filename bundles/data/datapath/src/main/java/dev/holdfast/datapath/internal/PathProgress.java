package dev.holdfast.datapath.internal;

import dev.holdfast.datapath.AttachedVolumeStatus;
import dev.holdfast.datapath.AttachedVolumeStatus.Phase;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;

/** Keeps the {@link AttachedVolumeStatus} of a data path; every change passes here. Thread-safe. */
final class PathProgress {
  private static final Duration FIRST_RETRY = Duration.ofMillis(500);
  private static final Duration FIRST_MOVE_RETRY = Duration.ofSeconds(5);

  /** Time for which requests wait before it is reported: an update in place takes no longer. */
  private static final Duration PARKED = Duration.ofSeconds(3);

  static final Duration LONGEST_RETRY = Duration.ofSeconds(60);
  private static final int DOUBLINGS = 7;

  private final InstantSource clock;
  private AttachedVolumeStatus view =
      new AttachedVolumeStatus(
          Phase.OPENING, Optional.empty(), Instant.EPOCH, "", "", Map.of(), 0, "", "");
  private int failures;
  private int moves;
  private Instant moveAt = Instant.EPOCH;
  private Instant goodSince = Instant.MAX;

  PathProgress(InstantSource clock) {
    this.clock = clock;
  }

  synchronized AttachedVolumeStatus view() {
    return view;
  }

  /** Begins to open; false when it shall close or is open already. */
  synchronized boolean beginOpening() {
    return switch (view.phase()) {
      case OPENING, FAILED -> {
        set(Phase.OPENING);
        yield true;
      }
      case HELD -> true;
      case OPEN, FORWARDING, CLOSING, CLOSED -> false;
    };
  }

  /** The volume is open; false when it shall close. */
  synchronized boolean opened(Map<String, MemberMode> modes, long sizeBytes) {
    return reached(Phase.OPEN, modes, sizeBytes);
  }

  /** Requests are passed on to another node; false when it shall close. */
  synchronized boolean forwards(long sizeBytes) {
    return reached(Phase.FORWARDING, Map.of(), sizeBytes);
  }

  /** Sets the node that may forward requests from now on, empty for none. */
  synchronized void admits(String node) {
    view =
        new AttachedVolumeStatus(
            view.phase(),
            view.failure(),
            view.retryAt(),
            view.frontend(),
            view.endpoint(),
            view.modes(),
            view.sizeBytes(),
            view.refusal(),
            node);
  }

  /** The volume that another node had open could not be opened here yet; requests wait. */
  synchronized void takeOverFailed(StorageException failure) {
    if (!isClosing()) {
      publication(Optional.of(plain(failure)), nextRetry(), view.frontend(), view.endpoint());
    }
  }

  private boolean reached(Phase phase, Map<String, MemberMode> modes, long sizeBytes) {
    if (isClosing()) {
      return false;
    }
    goodSince = clock.instant();
    view =
        new AttachedVolumeStatus(
            phase,
            Optional.empty(),
            Instant.EPOCH,
            view.frontend(),
            view.endpoint(),
            modes,
            sizeBytes,
            view.refusal(),
            view.admits());
    return true;
  }

  synchronized void modes(Map<String, MemberMode> modes) {
    view =
        new AttachedVolumeStatus(
            view.phase(),
            view.failure(),
            view.retryAt(),
            view.frontend(),
            view.endpoint(),
            modes,
            view.sizeBytes(),
            view.refusal(),
            view.admits());
  }

  synchronized void resized(long sizeBytes) {
    view =
        new AttachedVolumeStatus(
            view.phase(),
            view.failure(),
            view.retryAt(),
            view.frontend(),
            view.endpoint(),
            view.modes(),
            sizeBytes,
            view.refusal(),
            view.admits());
  }

  synchronized void published(String frontend, String endpoint) {
    goodSince = clock.instant();
    publication(Optional.empty(), Instant.EPOCH, frontend, endpoint);
  }

  synchronized void withdrawn() {
    publication(view.failure(), view.retryAt(), "", "");
  }

  synchronized void publishFailed(StorageException failure) {
    publication(Optional.of(plain(failure)), nextRetry(), "", "");
  }

  private void publication(
      Optional<StorageException> failure, Instant retryAt, String frontend, String endpoint) {
    view =
        new AttachedVolumeStatus(
            view.phase(),
            failure,
            retryAt,
            frontend,
            endpoint,
            view.modes(),
            view.sizeBytes(),
            view.refusal(),
            view.admits());
  }

  /** The engine goes away; the export stays. Nothing failed unless none comes soon. */
  synchronized void held() {
    if (!isClosing()) {
      view =
          new AttachedVolumeStatus(
              Phase.HELD,
              Optional.empty(),
              clock.instant().plus(PARKED),
              view.frontend(),
              view.endpoint(),
              view.modes(),
              view.sizeBytes(),
              view.refusal(),
              view.admits());
    }
  }

  /** Another engine was to have the open volume; says why it has not, if so. */
  synchronized void moved(Optional<StorageException> refusal) {
    moves = 0;
    view =
        new AttachedVolumeStatus(
            view.phase(),
            view.failure(),
            view.retryAt(),
            view.frontend(),
            view.endpoint(),
            view.modes(),
            view.sizeBytes(),
            refusal.map(why -> String.valueOf(why.getMessage())).orElse(""),
            view.admits());
  }

  /** The volume could not be taken from its engine now. */
  synchronized void moveLater() {
    moveAt = clock.instant().plus(FIRST_MOVE_RETRY.multipliedBy(1L << Math.min(moves, 4)));
    moves++;
  }

  synchronized boolean mayMove() {
    return !clock.instant().isBefore(moveAt);
  }

  /** Opening failed; waiting requests still wait. */
  synchronized void openFailed(StorageException failure) {
    switch (view.phase()) {
      case OPENING, OPEN, FORWARDING, FAILED -> view = failed(Phase.FAILED, failure, nextRetry());
      case HELD -> view = failed(Phase.HELD, failure, nextRetry());
      case CLOSING, CLOSED -> {}
    }
  }

  /** Everything is closed because of a failure. */
  synchronized void brokenDown(StorageException failure) {
    if (!isClosing()) {
      view = failed(Phase.FAILED, failure, nextRetry());
    }
  }

  synchronized void retryNow() {
    publication(view.failure(), clock.instant(), view.frontend(), view.endpoint());
  }

  synchronized void retryPublication() {
    if (view.phase() == Phase.OPEN || view.phase() == Phase.FORWARDING) {
      retryNow();
    }
  }

  /** Begins to close; false when that was begun before. */
  synchronized boolean beginClosing() {
    if (isClosing()) {
      return false;
    }
    set(Phase.CLOSING);
    return true;
  }

  synchronized void closed() {
    set(Phase.CLOSED);
  }

  private boolean isClosing() {
    return switch (view.phase()) {
      case OPENING, OPEN, FORWARDING, HELD, FAILED -> false;
      case CLOSING, CLOSED -> true;
    };
  }

  private void set(Phase phase) {
    view =
        new AttachedVolumeStatus(
            phase,
            view.failure(),
            view.retryAt(),
            view.frontend(),
            view.endpoint(),
            view.modes(),
            view.sizeBytes(),
            view.refusal(),
            view.admits());
  }

  private AttachedVolumeStatus failed(Phase phase, StorageException failure, Instant retryAt) {
    return new AttachedVolumeStatus(
        phase,
        Optional.of(plain(failure)),
        retryAt,
        view.frontend(),
        view.endpoint(),
        view.modes(),
        view.sizeBytes(),
        view.refusal(),
        view.admits());
  }

  // A stack trace keeps the classes of the plugin that failed.
  private static StorageException plain(StorageException failure) {
    return new StorageException(failure.code(), failure.getMessage());
  }

  private Instant nextRetry() {
    Instant now = clock.instant();
    if (goodSince.isBefore(now.minus(LONGEST_RETRY))) {
      failures = 0;
    }
    goodSince = Instant.MAX;
    Duration delay = FIRST_RETRY.multipliedBy(1L << Math.min(failures, DOUBLINGS));
    failures++;
    return now.plus(delay.compareTo(LONGEST_RETRY) < 0 ? delay : LONGEST_RETRY);
  }
}
