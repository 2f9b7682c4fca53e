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
 * A volume that moves in use, as its engine shows it. One engine, two nodes: one has the volume
 * open, the other forwards to it. When the move is confirmed, the engine's spec names the other
 * node, which opens the volume as soon as the first node reports that it closed it, or is fenced.
 */
final class Migration {
  /** Reason of the forwarding node while it cannot serve. */
  private static final String FORWARDING = Engine.FORWARDING_CONDITION;

  private Migration() {}

  /** The node that is to forward, empty for none: only where the volume stays attached. */
  static String wanted(VolumeView view, VolumeStateTable.Row row) {
    Volume volume = view.volume();
    boolean stays = row.currentNodeID().equals(volume.spec().nodeID());
    return stays ? volume.spec().migrationNodeID() : "";
  }

  /**
   * The node that serves the volume too. Once it did, its clients may use it, so it counts until
   * the move is confirmed or rolled back, also while it is silent.
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

  /** Whether a node that is to give its part up was not seen to have done so, or to be kept out. */
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
   * The further nodes that are to forward. While the volume changes its node, the next one to take
   * it over serves as one of them.
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
   * Endpoints of the further nodes that serve the volume. A node counts as soon as it may serve,
   * and until it was seen to have stopped, or to be kept out.
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

  /** Endpoint by which initiators reach the volume on that node. */
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
   * Whether a node forwards, or may. The controller does not wait for a silent node: its requests
   * have no effect once the engine to which it forwards rejects it.
   */
  static boolean isForwardedTo(Engine engine, VolumeView view) {
    return engine.status().forwardingNodes().stream().anyMatch(view::isReady);
  }

  /** Returns why the volume cannot move to the other node yet, empty when it can or need not. */
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
                + " gets ready to serve the volume beside node "
                + view.volume().spec().nodeID()
                + said.map(condition -> ": " + condition.message()).orElse("")
                + "; if no ticket asks for it at node "
                + view.volume().spec().nodeID()
                + " before that, it is detached there first",
            view.now()));
  }
}
