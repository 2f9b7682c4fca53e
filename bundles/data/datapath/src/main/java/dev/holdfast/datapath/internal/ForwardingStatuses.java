package dev.holdfast.datapath.internal;

import dev.holdfast.datapath.AttachedVolumeStatus;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.EngineStatus;
import dev.holdfast.resource.volume.ServingNode;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Part of an engine's status that belongs to the nodes that forward to it. Each node writes its own
 * entry: that of a live migration, or that of an additional serving node. A node that changes from
 * a serving node to that of a migration keeps its first entry until the second one serves.
 */
final class ForwardingStatuses {
  /** Reason of the forwarding node while it cannot serve; other bundles use it too. */
  static final String FORWARDING = Engine.FORWARDING_CONDITION;

  private ForwardingStatuses() {}

  /** Records, before a node forwards, that it is the target of a live migration. */
  static EngineStatus migrating(EngineStatus status, String node) {
    return status.withMigrationNodeID(node).withMigrationEndpoint("");
  }

  /** Records, before a node forwards, that it is one of several serving nodes. */
  static EngineStatus serving(EngineStatus status, String node) {
    return with(status, node, ServingNode.EMPTY);
  }

  /** Returns the status of an engine with a data path on a node that may forward to it. */
  static EngineStatus of(Engine engine, AttachedVolumeStatus view, String node, Instant now) {
    boolean serves =
        switch (view.phase()) {
          case FORWARDING, HELD -> !view.endpoint().isEmpty();
          case OPENING, OPEN, FAILED, CLOSING, CLOSED -> false;
        };
    EngineStatuses.Told told =
        view.failure()
            .map(EngineStatuses::reported)
            .orElseGet(
                () ->
                    EngineStatuses.Told.waiting(
                        EngineStatuses.reason(view.phase()),
                        "connecting to the node that serves the volume"));
    EngineStatus status = engine.status();
    if (status.servingNodes().containsKey(node)) {
      boolean replaced = serves && status.migrationNodeID().equals(node);
      status =
          replaced
              ? withoutServing(status, node)
              : with(
                  status,
                  node,
                  serves
                      ? new ServingNode(view.endpoint(), "", "")
                      : new ServingNode("", told.reason(), told.message()));
    }
    return status.migrationNodeID().equals(node)
        ? migration(status, serves ? view.endpoint() : "", told, now)
        : status;
  }

  private static EngineStatus migration(
      EngineStatus status, String endpoint, EngineStatuses.Told told, Instant now) {
    EngineStatus next = status.withMigrationEndpoint(endpoint);
    return next.withConditions(
        endpoint.isEmpty()
            ? Condition.with(
                status.conditions(),
                FORWARDING,
                Condition.Status.FALSE,
                told.reason(),
                told.message(),
                now)
            : without(status.conditions()));
  }

  /** Status of an engine after a node stopped forwarding to it. */
  static EngineStatus without(EngineStatus status, String node) {
    return withoutMigration(withoutServing(status, node), node);
  }

  /** Status of an engine after a node stopped taking it over. */
  static EngineStatus withoutMigration(EngineStatus status, String node) {
    return status.migrationNodeID().equals(node)
        ? status
            .withMigrationNodeID("")
            .withMigrationEndpoint("")
            .withConditions(without(status.conditions()))
        : status;
  }

  private static EngineStatus withoutServing(EngineStatus status, String node) {
    Map<String, ServingNode> nodes = new TreeMap<>(status.servingNodes());
    return nodes.remove(node) == null ? status : status.withServingNodes(nodes);
  }

  private static EngineStatus with(EngineStatus status, String node, ServingNode entry) {
    Map<String, ServingNode> nodes = new TreeMap<>(status.servingNodes());
    nodes.put(node, entry);
    return status.withServingNodes(nodes);
  }

  private static List<Condition> without(List<Condition> conditions) {
    return conditions.stream().filter(condition -> !condition.type().equals(FORWARDING)).toList();
  }
}
