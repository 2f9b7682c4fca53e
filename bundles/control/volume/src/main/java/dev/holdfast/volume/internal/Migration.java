package dev.holdfast.volume.internal;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.EngineStatus;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.resource.volume.VolumeState;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Live migration according to the engine. One node has the volume open, and the other forwards to
 * it. After the confirmation the engine's spec names the other node. That node opens the volume as
 * soon as the first node reports the close or is fenced.
 */
final class Migration {
  /** Reason of the forwarding node while it cannot serve. */
  private static final String FORWARDING = Engine.FORWARDING_CONDITION;

  private Migration() {}

  /** Returns the node that must forward, empty for none. Only an attached volume has one. */
  static String wanted(VolumeView view, VolumeStateTable.Row row) {
    Volume volume = view.volume();
    boolean stays = row.currentNodeID().equals(volume.spec().nodeID());
    return stays ? volume.spec().migrationNodeID() : "";
  }

  /**
   * Returns the second serving node. Since its clients may use the volume, it counts until the move
   * is completed or rolled back, even while it is unreachable.
   */
  static String joined(VolumeView view, VolumeStateTable.Row row) {
    String earlier = view.volume().status().currentMigrationNodeID();
    if (row.state() != VolumeState.ATTACHED) {
      return hasTarget(view) ? earlier : "";
    }
    boolean confirmed = !row.currentNodeID().equals(view.volume().spec().nodeID());
    String target = view.volume().spec().migrationNodeID();
    if (confirmed || (!earlier.isEmpty() && (earlier.equals(target) || mayServe(view, earlier)))) {
      return earlier;
    }
    boolean serves =
        view.running().filter(e -> e.status().migrationNodeID().equals(target)).isPresent()
            && !endpoint(view, target).isEmpty();
    return !target.isEmpty() && serves ? target : "";
  }

  /**
   * Returns whether a node that must stop forwarding has neither confirmed this nor been excluded.
   */
  private static boolean mayServe(VolumeView view, String node) {
    return view.engine()
        .filter(
            engine ->
                engine.status().migrationNodeID().equals(node)
                    || engine.spec().migrationNodeID().equals(node)
                    || !VolumeObserver.isInSync(engine))
        .isPresent();
  }

  /**
   * Returns the further nodes that must forward. While the volume changes its node, the next target
   * serves as one of them.
   */
  static List<String> serving(VolumeView view, VolumeStateTable.Row row) {
    VolumeSpec spec = view.volume().spec();
    return Stream.concat(
            Stream.of(spec.migrationNodeID())
                .filter(node -> !node.isEmpty() && wanted(view, row).isEmpty()),
            spec.servingNodeIDs().stream())
        .sorted()
        .toList();
  }

  /**
   * Returns the endpoints of the further serving nodes. A node counts as soon as it may serve,
   * until it has confirmed its stop or was excluded.
   */
  static Map<String, String> servingEndpoints(VolumeView view, VolumeStateTable.Row row) {
    Map<String, String> endpoints = new TreeMap<>();
    boolean attached = row.state() == VolumeState.ATTACHED;
    if (attached) {
      view.volume().spec().servingNodeIDs().forEach(node -> endpoints.put(node, ""));
    }
    view.engine()
        .ifPresent(
            engine -> {
              engine.spec().servingNodeIDs().forEach(node -> endpoints.put(node, ""));
              engine
                  .status()
                  .servingNodes()
                  .forEach((node, entry) -> endpoints.put(node, entry.endpoint()));
            });
    endpoints.keySet().removeIf(node -> !attached && !view.isReady(node));
    return endpoints;
  }

  /** Returns the endpoint of the volume on that node. */
  static String endpoint(VolumeView view, String node) {
    return view.engine()
        .map(Engine::status)
        .filter(status -> !node.isEmpty() && status.migrationNodeID().equals(node))
        .map(EngineStatus::migrationEndpoint)
        .orElse("");
  }

  private static boolean hasTarget(VolumeView view) {
    return view.engine()
        .map(engine -> engine.status().migrationNodeID())
        .filter(node -> !node.isEmpty() && view.isReady(node))
        .isPresent();
  }

  /**
   * Returns whether a node forwards or may forward. The controller does not wait for an unreachable
   * node, because its requests have no effect after the engine rejects it.
   */
  static boolean isForwardedTo(Engine engine, VolumeView view) {
    return engine.status().forwardingNodes().stream().anyMatch(view::isReady);
  }

  /** Returns why the volume cannot move to the other node yet; empty if it can or need not. */
  static Optional<Condition> obstacle(VolumeView view, VolumeStateTable.Row row) {
    String target = view.volume().spec().migrationNodeID();
    if (target.isEmpty() || joined(view, row).equals(target)) {
      return Optional.empty();
    }
    Optional<Condition> said =
        view.engine()
            .filter(engine -> engine.status().migrationNodeID().equals(target))
            .flatMap(engine -> Condition.find(engine.status().conditions(), FORWARDING))
            .filter(condition -> condition.status() == Condition.Status.FALSE);
    return Optional.of(
        new Condition(
            FORWARDING,
            Condition.Status.FALSE,
            said.map(Condition::reason).orElse("Preparing"),
            "node "
                + target
                + " is preparing to serve the volume beside node "
                + view.volume().spec().nodeID()
                + said.map(condition -> ": " + condition.message()).orElse("")
                + "; if no ticket asks for it at node "
                + view.volume().spec().nodeID()
                + " before that, it is detached there first",
            view.now()));
  }
}
