package dev.holdfast.node.internal;

import dev.holdfast.resource.DesireState;
import dev.holdfast.resource.Engine;
import dev.holdfast.resource.EngineSpec;
import dev.holdfast.resource.EngineStatus;
import dev.holdfast.resource.InstanceState;
import java.time.Instant;
import java.util.Optional;

/** The next step of an engine on one node. */
enum EngineStep {
  /** It is none of this node's business. */
  IGNORE,
  /** Another node has not said yet that it stopped. */
  AWAIT_OTHER_NODE,
  /** Record that this node opens it. */
  CLAIM,
  /** Open it, or open it again. */
  OPEN,
  /** Bring the export to what is wanted. */
  PUBLISH,
  /** Close it. */
  CLOSE,
  /** Record that nothing of it is open here. */
  RELEASE,
  /** Something goes on, or all is as wanted: record how it is. */
  REPORT;

  static final String FINALIZER = "holdfast.dev/engine";

  /** Returns whether the step begins to open the volume. */
  boolean opens() {
    return this == CLAIM || this == OPEN;
  }

  /**
   * Decides the next step.
   *
   * @param found the engine, empty when it is gone
   * @param path its data path on this node, empty when nothing of it is open here
   */
  static EngineStep next(
      Optional<Engine> found, Optional<PathView> path, String node, Instant now) {
    if (found.isPresent() && wanted(found.get(), node)) {
      return path.map(view -> towardsRunning(found.get(), view, now))
          .orElseGet(() -> beginning(found.get(), node));
    }
    if (path.isPresent()) {
      return switch (path.get().phase()) {
        case OPENING, OPEN, HELD, FAILED -> CLOSE;
        case CLOSING, CLOSED -> REPORT;
      };
    }
    return found.filter(engine -> isOurs(engine, node)).isPresent() ? RELEASE : IGNORE;
  }

  static boolean wanted(Engine engine, String node) {
    return !engine.isBeingDeleted()
        && engine.spec().desireState() == DesireState.RUNNING
        && engine.spec().nodeID().equals(node);
  }

  /** Returns the frontend that the volume shall be shown through, empty for none. */
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

  private static EngineStep towardsRunning(Engine engine, PathView view, Instant now) {
    // A retry further away than any delay means that the clock was set back.
    boolean mayRetry =
        !now.isBefore(view.retryAt())
            || now.isBefore(view.retryAt().minus(PathProgress.LONGEST_RETRY));
    return switch (view.phase()) {
      case OPENING, CLOSING, CLOSED -> REPORT;
      case FAILED, HELD -> mayRetry ? OPEN : REPORT;
      case OPEN -> mayRetry && !view.serves(wantedFrontend(engine.spec())) ? PUBLISH : REPORT;
    };
  }

  /** Whether this node must say that it has nothing of the engine open, and has not said so. */
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
