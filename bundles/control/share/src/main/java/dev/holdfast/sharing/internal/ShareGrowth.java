package dev.holdfast.sharing.internal;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Quantity;
import dev.holdfast.share.ShareManager;
import dev.holdfast.share.ShareManagerStatus;
import dev.holdfast.share.ShareReasons;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Growth of a share's filesystem to the size of its volume. After a failed growth the share keeps
 * serving at its size. A condition has the cause, and the growth is retried after {@link #PAUSE}.
 * Pure functions.
 */
final class ShareGrowth {
  /** Time between a failed growth and the next attempt. */
  static final Duration PAUSE = Duration.ofSeconds(60);

  private ShareGrowth() {}

  static boolean isNeeded(ShareManagerStatus status, ServerFacts facts) {
    return facts.size() > status.size().bytes() && !waits(status.nextAttemptAt(), facts.now());
  }

  /**
   * Returns whether the pause still lasts. A time further away than the pause means that the clock
   * was set back.
   */
  private static boolean waits(Optional<Instant> until, Instant now) {
    return until
        .filter(at -> at.isAfter(now) && Duration.between(now, at).compareTo(PAUSE) <= 0)
        .isPresent();
  }

  static ShareManagerStatus failed(ShareManagerStatus status, String cause, Instant now) {
    String message =
        "the filesystem has "
            + status.size()
            + " of its volume and could not be grown: "
            + cause
            + ": tried again every "
            + PAUSE.toSeconds()
            + " s; to grow it before it is mounted, move the share: kubectl patch hfn "
            + status.nodeID()
            + " --type merge -p '{\"spec\":{\"allowScheduling\":false}}'";
    return with(status, Condition.Status.FALSE, ShareReasons.GROWTH_FAILED, message, now)
        .withNextAttemptAt(Optional.of(now.plus(PAUSE)));
  }

  static ShareManagerStatus grown(ShareManagerStatus status, long size, Instant now) {
    return ended(status.withSize(new Quantity(size)), now);
  }

  /** Clears the condition of a filesystem that grew otherwise, for example when it was mounted. */
  static ShareManagerStatus settled(ShareManagerStatus status, ServerFacts facts) {
    return facts.size() > status.size().bytes() ? status : ended(status, facts.now());
  }

  private static ShareManagerStatus ended(ShareManagerStatus status, Instant now) {
    return Condition.find(status.conditions(), ShareManager.GROWTH_CONDITION).isEmpty()
        ? status
        : with(status, Condition.Status.TRUE, ShareReasons.GROWN, "", now)
            .withNextAttemptAt(Optional.empty());
  }

  private static ShareManagerStatus with(
      ShareManagerStatus status,
      Condition.Status holds,
      String reason,
      String message,
      Instant now) {
    List<Condition> conditions =
        Condition.with(
            status.conditions(), ShareManager.GROWTH_CONDITION, holds, reason, message, now);
    return status.withConditions(conditions);
  }
}
