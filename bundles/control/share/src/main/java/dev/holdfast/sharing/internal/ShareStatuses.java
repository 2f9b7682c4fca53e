package dev.holdfast.sharing.internal;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.volume.InstanceState;
import dev.holdfast.share.FailedShareNode;
import dev.holdfast.share.ShareManagerStatus;
import dev.holdfast.share.ShareReasons;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Changes of a share's status that several decisions share. Pure functions. */
final class ShareStatuses {
  private ShareStatuses() {}

  /** Sets the condition Ready: True in the state running only. */
  static ShareManagerStatus because(
      ShareManagerStatus status, String reason, String message, Instant now) {
    Condition.Status holds =
        switch (status.state()) {
          case RUNNING -> Condition.Status.TRUE;
          case UNKNOWN -> Condition.Status.UNKNOWN;
          case STOPPED, STARTING, STOPPING, ERROR -> Condition.Status.FALSE;
        };
    return status.withConditions(
        Condition.with(status.conditions(), Condition.READY, holds, reason, message, now));
  }

  /** Resets the counters of the last epoch. */
  static ShareManagerStatus fresh(ShareManagerStatus status) {
    return status
        .withEndpoint("")
        .withMoving(false)
        .withClients(List.of())
        .withInGrace(false)
        .withRestarts(0)
        .withRestartsSince(Optional.empty())
        .withNextAttemptAt(Optional.empty())
        .withRepairedAt(Optional.empty());
  }

  /**
   * Returns the status after a failure of the share on its node, which is then not chosen for a
   * pause.
   */
  static ShareManagerStatus failed(
      ShareManagerStatus status, String reason, String message, Instant now) {
    return because(
        status
            .withState(InstanceState.ERROR)
            .withEndpoint("")
            .withMoving(false)
            .withEpoch(
                status
                    .epoch()
                    .withSuspectedSince(status.epoch().suspectedSince().or(() -> Optional.of(now))))
            .withFailedNodes(withFailure(status, reason, now)),
        reason,
        message,
        now);
  }

  private static List<FailedShareNode> withFailure(
      ShareManagerStatus status, String reason, Instant now) {
    List<FailedShareNode> failed = new ArrayList<>();
    int count = 1;
    for (FailedShareNode earlier : status.failedNodes()) {
      if (earlier.nodeID().equals(status.nodeID())) {
        count = earlier.count() + 1;
      } else {
        failed.add(earlier);
      }
    }
    failed.add(new FailedShareNode(status.nodeID(), Optional.of(now), count, reason));
    return failed;
  }

  /**
   * Returns the status of a stopped share: no node has a part of it, according to its last node or
   * a time limit.
   */
  static ShareManagerStatus stopped(ShareManagerStatus status, Instant now) {
    boolean moving = status.moving();
    return because(
        fresh(status)
            .withState(InstanceState.STOPPED)
            .withNodeID("")
            .withLastEndpoint(moving ? status.lastEndpoint() : ""),
        moving ? ShareReasons.MOVING : ShareReasons.NOT_REQUIRED,
        moving ? "stopped on its former node" : "no workload uses the share",
        now);
  }
}
