package dev.holdfast.datapath.internal;

import dev.holdfast.datapath.AttachedVolumeStatus;
import dev.holdfast.datapath.AttachedVolumeStatus.Phase;
import dev.holdfast.datapath.ServingState;
import dev.holdfast.engine.EngineListener.RequestWait;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Changes the {@link AttachedVolumeStatus} of one volume, and schedules the retry of a failed step.
 * Thread-safe.
 */
final class VolumeLifecycle {
  private static final Duration FIRST_RETRY = Duration.ofMillis(500);
  private static final Duration FIRST_MOVE_RETRY = Duration.ofSeconds(5);

  /** Time for which requests wait before this is reported; an update in place takes less. */
  private static final Duration PARKED = Duration.ofSeconds(3);

  static final Duration LONGEST_RETRY = Duration.ofSeconds(60);
  private static final int DOUBLINGS = 7;

  private final InstantSource clock;
  private AttachedVolumeStatus status = AttachedVolumeStatus.INITIAL;
  private int failures;
  private int moves;
  private Instant moveAt = Instant.EPOCH;
  private Instant goodSince = Instant.MAX;

  VolumeLifecycle(InstantSource clock) {
    this.clock = clock;
  }

  synchronized AttachedVolumeStatus status() {
    return status;
  }

  /** Returns whether hosts can be served: the volume is open, or forwards. */
  synchronized boolean serves() {
    return status.phase() == Phase.OPEN || status.phase() == Phase.FORWARDING;
  }

  /** Starts to open; returns false when the volume is closing or already open. */
  synchronized boolean beginOpening() {
    return switch (status.phase()) {
      case OPENING, FAILED -> {
        set(Phase.OPENING);
        yield true;
      }
      case HELD -> true;
      case OPEN, FORWARDING, CLOSING, CLOSED -> false;
    };
  }

  /** Records that the volume is open; returns false when it must close. */
  synchronized boolean opened(Map<String, MemberMode> modes, long sizeBytes) {
    boolean reached = reached(Phase.OPEN, modes, sizeBytes);
    if (reached) {
      status = status.withForwardsTo("");
    }
    return reached;
  }

  /**
   * Records that requests are forwarded to another node; returns false when the volume must close.
   */
  synchronized boolean forwards(long sizeBytes, String toNode) {
    boolean reached = reached(Phase.FORWARDING, Map.of(), sizeBytes);
    if (reached) {
      status = status.withForwardsTo(toNode);
    }
    return reached;
  }

  /** Sets the nodes that may forward requests. */
  synchronized void admits(Set<String> nodes) {
    status = status.withAdmits(nodes);
  }

  /**
   * Records that a volume that another node had open could not be opened here yet; requests wait.
   */
  synchronized void takeOverFailed(StorageException failure) {
    if (!isClosing()) {
      publication(Optional.of(plain(failure)), nextRetry(), status.frontend(), status.endpoint());
    }
  }

  private boolean reached(Phase phase, Map<String, MemberMode> modes, long sizeBytes) {
    if (isClosing()) {
      return false;
    }
    goodSince = clock.instant();
    status =
        status
            .withPhase(phase)
            .withFailure(Optional.empty())
            .withRetryAt(Instant.EPOCH)
            .withModes(modes)
            .withSizeBytes(sizeBytes)
            .withWaits(Optional.empty());
    return true;
  }

  synchronized void modes(Map<String, MemberMode> modes) {
    status = status.withModes(modes);
  }

  /** Sets what requests wait for in the engine. */
  synchronized void waiting(Optional<RequestWait> wait) {
    status = status.withWaits(wait);
  }

  synchronized void resized(long sizeBytes) {
    status = status.withSizeBytes(sizeBytes);
  }

  synchronized void published(String frontend, String endpoint) {
    goodSince = clock.instant();
    publication(Optional.empty(), Instant.EPOCH, frontend, endpoint);
  }

  /** Sets how hosts reach the volume; empty while that is not decided. */
  synchronized void serving(Optional<ServingState> state) {
    status = status.withServing(state);
  }

  synchronized void withdrawn() {
    publication(status.failure(), status.retryAt(), "", "");
  }

  /** Records that hosts may still reach the volume although it should be withdrawn. */
  synchronized void withdrawFailed(StorageException failure) {
    publication(Optional.of(plain(failure)), nextRetry(), status.frontend(), status.endpoint());
  }

  synchronized void publishFailed(StorageException failure) {
    publication(Optional.of(plain(failure)), nextRetry(), "", "");
  }

  private void publication(
      Optional<StorageException> failure, Instant retryAt, String frontend, String endpoint) {
    status =
        status
            .withFailure(failure)
            .withRetryAt(retryAt)
            .withFrontend(frontend)
            .withEndpoint(endpoint);
  }

  /**
   * Records that the engine was removed while the export stays. Reported as a failure only if no
   * engine arrives soon.
   */
  synchronized void held() {
    if (!isClosing()) {
      status =
          status
              .withPhase(Phase.HELD)
              .withFailure(Optional.empty())
              .withRetryAt(clock.instant().plus(PARKED));
    }
  }

  /** Records the result of a take-over by another engine; {@code refusal} is empty on success. */
  synchronized void moved(Optional<StorageException> refusal) {
    moves = 0;
    status = status.withRefusal(refusal.map(why -> String.valueOf(why.getMessage())).orElse(""));
  }

  /** Records that the volume's engine could not hand it over now. */
  synchronized void moveLater() {
    moveAt = clock.instant().plus(FIRST_MOVE_RETRY.multipliedBy(1L << Math.min(moves, 4)));
    moves++;
  }

  synchronized boolean mayMove() {
    return !clock.instant().isBefore(moveAt);
  }

  /** Records that opening failed; waiting requests continue to wait. */
  synchronized void openFailed(StorageException failure) {
    switch (status.phase()) {
      case OPENING, OPEN, FORWARDING, FAILED -> status = failed(Phase.FAILED, failure, nextRetry());
      case HELD -> status = failed(Phase.HELD, failure, nextRetry());
      case CLOSING, CLOSED -> {}
    }
  }

  /** Records that all parts were closed because of a failure. */
  synchronized void brokenDown(StorageException failure) {
    if (!isClosing()) {
      status = failed(Phase.FAILED, failure, nextRetry());
    }
  }

  synchronized void retryNow() {
    publication(status.failure(), clock.instant(), status.frontend(), status.endpoint());
  }

  synchronized void retryPublication() {
    if (serves()) {
      retryNow();
    }
  }

  /** Starts to close; returns false when the close has already started. */
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
    return switch (status.phase()) {
      case OPENING, OPEN, FORWARDING, HELD, FAILED -> false;
      case CLOSING, CLOSED -> true;
    };
  }

  private void set(Phase phase) {
    status = status.withPhase(phase);
  }

  private AttachedVolumeStatus failed(Phase phase, StorageException failure, Instant retryAt) {
    return status.withPhase(phase).withFailure(Optional.of(plain(failure))).withRetryAt(retryAt);
  }

  // Without the stack trace, which would keep the classes of the failed plugin in memory.
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
