package dev.holdfast.sharing.internal;

import static dev.holdfast.resource.volume.InstanceState.ERROR;
import static dev.holdfast.resource.volume.InstanceState.STARTING;
import static dev.holdfast.resource.volume.InstanceState.STOPPED;
import static dev.holdfast.resource.volume.InstanceState.STOPPING;
import static dev.holdfast.resource.volume.InstanceState.UNKNOWN;

import dev.holdfast.resource.volume.InstanceState;
import dev.holdfast.share.ShareManagerStatus;
import dev.holdfast.share.ShareReasons;
import dev.holdfast.sharing.internal.ShareFacts.Holder;
import java.time.Duration;

/**
 * Decides on which node a share runs: computes the next status from the current one and the facts.
 * A pure function.
 *
 * <pre>
 *   stopped ──claim──► starting ──node──► running
 *      ▲                   │  │             │  │
 *      │ node              │  └──► error ◄──┘  │      error ──claim──► starting, on another node
 *      └──── stopping ◄────┴───────────────────┘      running ──silent node──► unknown, error
 * </pre>
 *
 * <p>Each change is a record. Other components cause the effects: the attacher creates the ticket
 * from {@code nodeID}, and the node drives the server by the state ({@link ServerStep}). Each wait
 * for a node has a limit: after {@link #RELEASE} the share continues without a node that does not
 * release it, and the server there is removed when the node reports again.
 */
final class ShareStep {
  /** Longest wait for a node to stop its server. */
  static final Duration RELEASE = Duration.ofSeconds(60);

  /** Longest wait for the volume to be attached to the chosen node while another node can serve. */
  static final Duration ATTACHING = Duration.ofMinutes(2);

  /** Longest wait for a node to start its server. */
  static final Duration STARTUP = Duration.ofMinutes(15);

  /** Longest wait for a reporting node to record its parts of the share. */
  static final Duration REPORT = Duration.ofSeconds(60);

  private ShareStep() {}

  static ShareManagerStatus next(ShareManagerStatus status, ShareFacts facts) {
    return switch (facts.need()) {
      case REQUIRED -> required(status, facts);
      case FAULTED -> faulted(status, facts);
      case NOT_REQUIRED -> notRequired(status, facts);
    };
  }

  private static ShareManagerStatus required(ShareManagerStatus status, ShareFacts facts) {
    return switch (status.state()) {
      case STOPPED -> claim(status, facts);
      case STARTING -> starting(status, facts);
      case RUNNING -> placed(status, facts);
      case STOPPING -> isReleased(status, facts) ? stopped(status, facts) : status;
      case ERROR -> isReleased(status, facts) ? claim(status, facts) : status;
      case UNKNOWN -> unknown(status, facts);
    };
  }

  private static ShareManagerStatus starting(ShareManagerStatus status, ShareFacts facts) {
    boolean waits =
        !facts.attached()
            && facts.inState().compareTo(ATTACHING) > 0
            && facts.choice().isOtherThan(status.nodeID());
    if (waits) {
      return failed(
          status,
          ShareReasons.WAITING_FOR_VOLUME,
          "the volume was not attached to node "
              + status.nodeID()
              + " in "
              + ATTACHING.toSeconds()
              + " s",
          facts);
    }
    if (facts.attached() && facts.inState().compareTo(STARTUP) > 0) {
      return failed(
          status,
          ShareReasons.START_FAILED,
          "node "
              + status.nodeID()
              + " did not start the server in "
              + STARTUP.toMinutes()
              + " min",
          facts);
    }
    return placed(status, facts);
  }

  /** Returns the next status of a share whose node starts or serves it. */
  private static ShareManagerStatus placed(ShareManagerStatus status, ShareFacts facts) {
    return switch (facts.holder()) {
      case READY -> status;
      case LEAVING ->
          facts.choice().isOtherThan(status.nodeID())
              ? stopping(
                  status,
                  true,
                  ShareReasons.MOVING,
                  "node "
                      + status.nodeID()
                      + " may not serve any more: moving to node "
                      + facts.choice().node().orElseThrow(),
                  facts)
              : status;
      case LOST, NONE -> silent(status, facts);
    };
  }

  private static ShareManagerStatus silent(ShareManagerStatus status, ShareFacts facts) {
    String message = "node " + status.nodeID() + " does not report";
    if (facts.choice().isOtherThan(status.nodeID())) {
      return failed(status, ShareReasons.NODE_SILENT, message, facts);
    }
    return status.state() == STARTING
        ? status
        : ShareStatuses.because(
            status.withState(UNKNOWN),
            ShareReasons.NODE_SILENT,
            message + ", and no other node can serve: " + facts.choice().why(),
            facts.now());
  }

  private static ShareManagerStatus unknown(ShareManagerStatus status, ShareFacts facts) {
    boolean other = facts.choice().isOtherThan(status.nodeID());
    boolean reports = facts.holder() == Holder.READY || facts.holder() == Holder.LEAVING;
    if (other && (!reports || facts.inState().compareTo(REPORT) > 0)) {
      return failed(
          status,
          reports ? ShareReasons.SERVER_ABSENT : ShareReasons.NODE_SILENT,
          "node " + status.nodeID() + " does not report the share",
          facts);
    }
    return status;
  }

  private static ShareManagerStatus faulted(ShareManagerStatus status, ShareFacts facts) {
    if (status.state() == ERROR) {
      return isReleased(status, facts) ? status.withNodeID("") : status;
    }
    return ShareStatuses.because(
        status.withState(ERROR).withEndpoint("").withMoving(false),
        ShareReasons.VOLUME_FAULTED,
        "the volume is faulted; the share returns when the volume is usable",
        facts.now());
  }

  private static ShareManagerStatus notRequired(ShareManagerStatus status, ShareFacts facts) {
    return switch (status.state()) {
      case STOPPED ->
          ShareStatuses.because(
              status, ShareReasons.NOT_REQUIRED, "no workload uses the share", facts.now());
      case STARTING, RUNNING, UNKNOWN ->
          stopping(status, false, ShareReasons.STOPPING, "no workload uses the share", facts);
      case STOPPING, ERROR -> isReleased(status, facts) ? stopped(status, facts) : status;
    };
  }

  /**
   * Returns whether the node has released the share. A lost node, or one that does not stop in
   * time, counts as released, because fencing excludes it.
   */
  private static boolean isReleased(ShareManagerStatus status, ShareFacts facts) {
    return status.nodeID().isEmpty()
        || facts.holder() == Holder.LOST
        || facts.inState().compareTo(RELEASE) > 0;
  }

  private static ShareManagerStatus claim(ShareManagerStatus status, ShareFacts facts) {
    if (facts.choice().node().isEmpty()) {
      ShareManagerStatus waiting = status.state() == ERROR ? status.withNodeID("") : status;
      return ShareStatuses.because(
          waiting, ShareReasons.NO_NODE, facts.choice().why(), facts.now());
    }
    String node = facts.choice().node().get();
    return ShareStatuses.because(
        ShareStatuses.fresh(status)
            .withOwnerID(facts.controller())
            .withState(STARTING)
            .withNodeID(node)
            .withEpoch(status.epoch().next(node, facts.now())),
        ShareReasons.WAITING_FOR_VOLUME,
        "waits for the volume on node " + node,
        facts.now());
  }

  private static ShareManagerStatus stopping(
      ShareManagerStatus status, boolean moving, String reason, String message, ShareFacts facts) {
    return ShareStatuses.because(
        status
            .withOwnerID(facts.controller())
            .withState(STOPPING)
            .withEndpoint("")
            .withMoving(moving),
        reason,
        message,
        facts.now());
  }

  private static ShareManagerStatus stopped(ShareManagerStatus status, ShareFacts facts) {
    return ShareStatuses.stopped(status, facts.now());
  }

  private static ShareManagerStatus failed(
      ShareManagerStatus status, String reason, String message, ShareFacts facts) {
    return ShareStatuses.failed(status, reason, message, facts.now())
        .withOwnerID(facts.controller());
  }

  /** Returns whether a state has a server that clients may reach. */
  static boolean mayServe(InstanceState state) {
    return switch (state) {
      case STARTING, RUNNING, UNKNOWN -> true;
      case STOPPED, STOPPING, ERROR -> false;
    };
  }

  /** Returns whether no node has a part of a share, according to its status. */
  static boolean isGone(ShareManagerStatus status) {
    return status.state() == STOPPED && status.nodeID().isEmpty();
  }
}
