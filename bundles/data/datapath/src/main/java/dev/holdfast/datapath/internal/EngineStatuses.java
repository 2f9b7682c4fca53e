package dev.holdfast.datapath.internal;

import dev.holdfast.datapath.AttachedVolumeStatus;
import dev.holdfast.datapath.ConditionReasons;
import dev.holdfast.datapath.internal.condition.PlacedCondition;
import dev.holdfast.datapath.internal.condition.RequestsPassCondition;
import dev.holdfast.datapath.internal.condition.ServingCondition;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.EngineStatus;
import dev.holdfast.resource.volume.InstanceState;
import dev.holdfast.resource.volume.ReplicaMode;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** Computes statuses of an engine from its data path; never changes the membership. */
final class EngineStatuses {
  static final String READY = Condition.READY;

  private static final String REPLACEMENT_FAILED = "EngineReplacementFailed";

  /** The volume controller uses this type too. */
  static final String EXPANSION_FAILED = Engine.EXPANSION_FAILED_CONDITION;

  private EngineStatuses() {}

  /** The reason and message of a condition. */
  record Told(boolean ready, String reason, String message) {
    static Told waiting(String reason, String message) {
      return new Told(false, reason, message);
    }
  }

  /** Returns the status of an engine that is not open here. */
  static EngineStatus stopped(Engine engine, Instant now) {
    EngineStatus status = engine.status();
    EngineStatus stopped =
        build(
            engine,
            InstanceState.STOPPED,
            status.nodeID(),
            "",
            status.replicaModeMap(),
            Told.waiting(reason(AttachedVolumeStatus.Phase.CLOSED), ""),
            now);
    return RequestsPassCondition.of(
        PlacedCondition.without(ServingCondition.without(stopped)), Optional.empty(), now);
  }

  /** Status of an engine before this node opens it. */
  static EngineStatus claimed(Engine engine, String node, Instant now) {
    EngineStatus status =
        build(engine, InstanceState.STARTING, node, "", Map.of(), Told.waiting("Opening", ""), now);
    // The opening fences any export of another node.
    return engine.status().nodeID().equals(node) ? status : ServingCondition.without(status);
  }

  /** Returns the status of an engine that cannot be opened yet. */
  static EngineStatus blocked(Engine engine, StorageException why, Instant now) {
    return build(
        engine,
        why.code() == ErrorCode.BUSY ? InstanceState.STARTING : InstanceState.ERROR,
        engine.status().nodeID(),
        "",
        Map.of(),
        reported(why),
        now);
  }

  /** Returns the status of an engine with a data path on this node. */
  static EngineStatus of(Engine engine, AttachedVolumeStatus view, String node, Instant now) {
    boolean served = view.serves(EngineStep.wantedFrontend(engine.spec()));
    InstanceState state =
        switch (view.phase()) {
          case OPENING -> InstanceState.STARTING;
          // A short stall is not reported as long as nothing failed.
          case HELD ->
              view.failure().isEmpty() && engine.status().currentState() == InstanceState.RUNNING
                  ? InstanceState.RUNNING
                  : InstanceState.STARTING;
          case FORWARDING ->
              view.failure().isPresent() ? InstanceState.ERROR : InstanceState.STARTING;
          case OPEN ->
              served
                  ? InstanceState.RUNNING
                  : view.failure().isPresent() ? InstanceState.ERROR : InstanceState.STARTING;
          case FAILED -> InstanceState.ERROR;
          case CLOSING -> InstanceState.STOPPING;
          case CLOSED -> InstanceState.STOPPED;
        };
    Told told =
        state == InstanceState.RUNNING
            ? new Told(true, "Serving", "")
            : view.failure()
                .filter(failure -> state != InstanceState.STOPPED)
                .map(EngineStatuses::reported)
                .orElse(Told.waiting(reason(view.phase()), ""));
    boolean taken = view.phase() == AttachedVolumeStatus.Phase.OPEN;
    String endpoint = view.phase() == AttachedVolumeStatus.Phase.FORWARDING ? "" : view.endpoint();
    EngineStatus status =
        build(engine, state, node, endpoint, modes(view, engine.status()), told, now);
    status = status.withConditions(replacement(status.conditions(), view.refusal(), now));
    status = ServingCondition.of(status, view.serving(), now);
    status = state == InstanceState.STOPPED ? PlacedCondition.without(status) : status;
    status = RequestsPassCondition.of(status, view.waits().filter(wait -> taken), now);
    if (taken) {
      status = ForwardingStatuses.without(status, node);
    }
    // Once this status covers the present spec, a node that must stop forwarding can no longer
    // forward.
    if (taken && !view.admits().equals(Set.copyOf(engine.spec().forwardingNodes()))) {
      status = status.withObservedGeneration(engine.status().observedGeneration());
    }
    return view.sizeBytes() == 0 ? status : status.withCurrentSize(new Quantity(view.sizeBytes()));
  }

  /**
   * Reports that the engine's newer bundle could not take the volume over; reports nothing without
   * a failure.
   */
  private static List<Condition> replacement(
      List<Condition> conditions, String refusal, Instant now) {
    return refusal.isEmpty()
        ? conditions.stream().filter(c -> !c.type().equals(REPLACEMENT_FAILED)).toList()
        : Condition.with(
            conditions, REPLACEMENT_FAILED, Condition.Status.TRUE, "TakeOverFailed", refusal, now);
  }

  static String reason(AttachedVolumeStatus.Phase phase) {
    return switch (phase) {
      case OPENING -> "Opening";
      case OPEN -> "Publishing";
      case FORWARDING -> "TakingOver";
      case HELD -> "EngineAway";
      case FAILED -> Condition.FAILED_REASON;
      case CLOSING -> "Closing";
      case CLOSED -> "Stopped";
    };
  }

  static Told reported(StorageException failure) {
    return Told.waiting(ConditionReasons.of(failure.code()), String.valueOf(failure.getMessage()));
  }

  /** While a volume opens, the state of its replicas is unknown, so the earlier modes stay. */
  private static Map<String, ReplicaMode> modes(AttachedVolumeStatus view, EngineStatus earlier) {
    return switch (view.phase()) {
      case OPENING, FORWARDING -> Map.of();
      case OPEN, HELD -> modes(view);
      case FAILED, CLOSING, CLOSED ->
          view.modes().isEmpty() ? earlier.replicaModeMap() : modes(view);
    };
  }

  private static Map<String, ReplicaMode> modes(AttachedVolumeStatus view) {
    Map<String, ReplicaMode> modes = new TreeMap<>();
    view.modes()
        .forEach(
            (replica, mode) ->
                modes.put(
                    replica,
                    switch (mode) {
                      case RW -> ReplicaMode.RW;
                      case WO -> ReplicaMode.WO;
                      case ERR -> ReplicaMode.ERR;
                    }));
    return modes;
  }

  private static EngineStatus build(
      Engine engine,
      InstanceState state,
      String node,
      String endpoint,
      Map<String, ReplicaMode> modes,
      Told told,
      Instant now) {
    EngineStatus earlier = engine.status();
    return earlier
        .withCurrentState(state)
        .withNodeID(node)
        .withEndpoint(endpoint)
        .withReplicaModeMap(modes)
        .withConditions(
            Condition.with(
                earlier.conditions(),
                READY,
                told.ready() ? Condition.Status.TRUE : Condition.Status.FALSE,
                told.reason(),
                told.message(),
                now))
        .withObservedGeneration(engine.metadata().generation());
  }

  /** Reports why a volume could not grow; an empty value removes the report. */
  static EngineStatus expansion(Engine engine, Optional<StorageException> failure, Instant now) {
    List<Condition> conditions = engine.status().conditions();
    return engine
        .status()
        .withConditions(
            failure
                .map(
                    why ->
                        Condition.with(
                            conditions,
                            EXPANSION_FAILED,
                            Condition.Status.TRUE,
                            ConditionReasons.of(why.code()),
                            String.valueOf(why.getMessage()),
                            now))
                .orElseGet(
                    () ->
                        conditions.stream()
                            .filter(c -> !c.type().equals(EXPANSION_FAILED))
                            .toList()));
  }

  static boolean saysNotExpanded(Engine engine) {
    return Condition.find(engine.status().conditions(), EXPANSION_FAILED).isPresent();
  }

  /** Returns why an engine is not ready, for events; empty when it is. */
  static Optional<String> problem(EngineStatus status) {
    return Condition.find(status.conditions(), READY)
        .filter(condition -> status.currentState() == InstanceState.ERROR)
        .map(Condition::message);
  }
}
