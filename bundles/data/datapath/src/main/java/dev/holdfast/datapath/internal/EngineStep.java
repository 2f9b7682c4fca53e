package dev.holdfast.datapath.internal;

import dev.holdfast.datapath.AttachedVolumeStatus;
import dev.holdfast.resource.volume.DesireState;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.EngineSpec;
import dev.holdfast.resource.volume.EngineStatus;
import dev.holdfast.resource.volume.InstanceState;
import java.time.Instant;
import java.util.Optional;

/** The next step of an engine on one node. */
enum EngineStep {
  /** This node is not concerned. */
  IGNORE,
  /** Another node has not reported yet that it stopped. */
  AWAIT_OTHER_NODE,
  /** Record that this node opens it. */
  CLAIM,
  /** Open it, or repeat the opening. */
  OPEN,
  /** Open it here after requests were forwarded to the node that had it open. */
  TAKE_OVER,
  /** Record that this node forwards requests. */
  CLAIM_FORWARDING,
  /** Record that this node serves it too, by forwarding requests. */
  CLAIM_SERVING,
  /** Forward requests to the node that has it open. */
  FORWARD,
  /** Forward requests to another node, which now has it open. */
  REDIRECT,
  /** Change the export to the wanted one. */
  PUBLISH,
  /** Close it. */
  CLOSE,
  /** Record that this node has closed it. */
  RELEASE,
  /** Record that this node has stopped forwarding. */
  RELEASE_FORWARDING,
  /** A step runs, or the path is as wanted: record its state. */
  REPORT;

  static final String FINALIZER = Engine.FINALIZER;

  /** Returns whether the step starts to open the volume. */
  boolean opens() {
    return this == CLAIM || this == OPEN;
  }

  /**
   * Decides the next step.
   *
   * @param found the engine, empty when it was deleted
   * @param path its data path on this node, empty when it is not open here
   */
  static EngineStep next(
      Optional<Engine> found, Optional<AttachedVolumeStatus> path, String node, Instant now) {
    if (found.isPresent() && wanted(found.get(), node)) {
      return path.map(view -> owning(found.get(), view, node, now))
          .orElseGet(() -> beginning(found.get(), node));
    }
    if (found.isPresent() && forwards(found.get(), node)) {
      return path.map(view -> towardsForwarding(found.get(), view, node, now))
          .orElseGet(() -> claimingToForward(found.get(), node).orElse(FORWARD));
    }
    if (path.isPresent()) {
      return leaving(path.get());
    }
    if (found.filter(engine -> isOurs(engine, node)).isPresent()) {
      return RELEASE;
    }
    return found.filter(engine -> engine.status().forwardingNodes().contains(node)).isPresent()
        ? RELEASE_FORWARDING
        : IGNORE;
  }

  private static EngineStep leaving(AttachedVolumeStatus view) {
    return switch (view.phase()) {
      case OPENING, OPEN, FORWARDING, HELD, FAILED -> CLOSE;
      case CLOSING, CLOSED -> REPORT;
    };
  }

  static boolean wanted(Engine engine, String node) {
    return !engine.isBeingDeleted()
        && engine.spec().desireState() == DesireState.RUNNING
        && engine.spec().nodeID().equals(node);
  }

  /** Returns whether the node is to serve the volume by forwarding requests. */
  private static boolean forwards(Engine engine, String node) {
    return !engine.isBeingDeleted()
        && engine.spec().desireState() == DesireState.RUNNING
        && engine.spec().forwardingNodes().contains(node);
  }

  private static boolean takesOver(Engine engine, String node) {
    return engine.spec().migrationNodeID().equals(node);
  }

  /** Returns the frontend that publishes the volume, empty for none. */
  static String wantedFrontend(EngineSpec spec) {
    return spec.disableFrontend() ? "" : spec.frontend();
  }

  private static EngineStep beginning(Engine engine, String node) {
    EngineStatus status = engine.status();
    boolean free =
        status.nodeID().isEmpty()
            || status.nodeID().equals(node)
            || status.currentState() == InstanceState.STOPPED;
    if (!free) {
      return AWAIT_OTHER_NODE;
    }
    boolean claimed =
        engine.metadata().hasFinalizer(FINALIZER)
            && status.nodeID().equals(node)
            && (status.currentState() == InstanceState.STARTING
                || status.currentState() == InstanceState.ERROR);
    return claimed ? OPEN : CLAIM;
  }

  /** A path that this node has not claimed forwards requests, or is left from an earlier time. */
  private static EngineStep owning(
      Engine engine, AttachedVolumeStatus view, String node, Instant now) {
    if (engine.status().nodeID().equals(node)) {
      return towardsRunning(engine, view, now);
    }
    return view.phase() == AttachedVolumeStatus.Phase.FORWARDING
        ? beginning(engine, node)
        : leaving(view);
  }

  private static EngineStep towardsRunning(Engine engine, AttachedVolumeStatus view, Instant now) {
    boolean mayRetry = mayRetry(view, now);
    return switch (view.phase()) {
      case OPENING, CLOSING, CLOSED -> REPORT;
      case FAILED, HELD -> mayRetry ? OPEN : REPORT;
      case FORWARDING -> mayRetry ? TAKE_OVER : REPORT;
      case OPEN -> mayRetry && !view.serves(wantedFrontend(engine.spec())) ? PUBLISH : REPORT;
    };
  }

  /** Returns the record to make before this node forwards, empty when it exists. */
  private static Optional<EngineStep> claimingToForward(Engine engine, String node) {
    EngineStatus status = engine.status();
    String migrates = status.migrationNodeID();
    if (!takesOver(engine, node)) {
      if (migrates.equals(node)) {
        return Optional.of(RELEASE_FORWARDING);
      }
      return status.servingNodes().containsKey(node)
          ? Optional.empty()
          : Optional.of(CLAIM_SERVING);
    }
    if (migrates.isEmpty()) {
      return Optional.of(CLAIM_FORWARDING);
    }
    return migrates.equals(node) ? Optional.empty() : Optional.of(AWAIT_OTHER_NODE);
  }

  private static EngineStep towardsForwarding(
      Engine engine, AttachedVolumeStatus view, String node, Instant now) {
    boolean mayRetry = mayRetry(view, now);
    return switch (view.phase()) {
      case OPENING, CLOSING, CLOSED -> REPORT;
      case FAILED, HELD -> mayRetry ? FORWARD : REPORT;
      case FORWARDING -> forwarding(engine, view, node, mayRetry);
      case OPEN -> CLOSE;
    };
  }

  /** A node continues to serve while it waits for another one's entry. */
  private static EngineStep forwarding(
      Engine engine, AttachedVolumeStatus view, String node, boolean mayRetry) {
    Optional<EngineStep> claim =
        claimingToForward(engine, node).filter(step -> step != AWAIT_OTHER_NODE);
    if (claim.isPresent()) {
      return claim.get();
    }
    if (mayRetry && isOpenElsewhere(engine, view)) {
      return REDIRECT;
    }
    return mayRetry && !view.serves(wantedFrontend(engine.spec())) ? PUBLISH : REPORT;
  }

  /**
   * Another node has the volume open than the one that receives requests, so the latter is fenced.
   */
  private static boolean isOpenElsewhere(Engine engine, AttachedVolumeStatus view) {
    String owner = engine.spec().nodeID();
    return !view.forwardsTo().equals(owner)
        && engine.status().nodeID().equals(owner)
        && engine.status().currentState() == InstanceState.RUNNING;
  }

  private static boolean mayRetry(AttachedVolumeStatus view, Instant now) {
    // A retry time further ahead than the longest delay means that the clock was set back.
    return !now.isBefore(view.retryAt())
        || now.isBefore(view.retryAt().minus(VolumeLifecycle.LONGEST_RETRY));
  }

  /** Returns whether this node still has to report that it closed the engine. */
  private static boolean isOurs(Engine engine, String node) {
    EngineStatus status = engine.status();
    boolean stopped = status.currentState() == InstanceState.STOPPED;
    if (status.nodeID().equals(node) && (!stopped || engine.metadata().hasFinalizer(FINALIZER))) {
      return true;
    }
    String told = engine.spec().nodeID();
    boolean asked = told.equals(node) || (told.isEmpty() && status.nodeID().equals(node));
    return asked && stopped && status.observedGeneration() != engine.metadata().generation();
  }
}
