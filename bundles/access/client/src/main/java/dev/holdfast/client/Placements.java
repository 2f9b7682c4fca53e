package dev.holdfast.client;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.node.EngineDeclaration;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeState;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.util.List;
import java.util.Optional;

/** Selects the nodes that use the disk of a volume on behalf of all nodes. Thread-safe. */
public final class Placements {
  private final ResourceStore store;
  private final StoreEditor editor;

  /** Manages the volumes of a store. */
  public Placements(ResourceStore store) {
    this.store = store;
    this.editor = new StoreEditor(store);
  }

  /**
   * Requests that a node uses the disk of a volume on behalf of all nodes; with waiting, until it
   * does so for an attached volume.
   *
   * @param node name of the node; empty to let the engine select it
   * @throws StorageException NOT_FOUND; UNSUPPORTED for an engine without this ability; TIMEOUT
   *     with the reason (the request remains)
   */
  public Volume choose(String name, String node, Waiting waiting) throws StorageException {
    requirePlaced(editor.require(Volume.KIND, name));
    if (!node.isEmpty()) {
      Node unused = editor.require(Node.KIND, node);
    }
    Volume volume =
        editor.edit(Volume.KIND, name, v -> v.withSpec(v.spec().withActiveNodeID(node)));
    Optional<Engine> engine =
        store.list(Engine.KIND, LabelSelector.ALL).items().stream()
            .filter(volume::follows)
            .findFirst();
    if (node.isEmpty()
        || !waiting.isWanted()
        || volume.status().state() != VolumeState.ATTACHED
        || engine.isEmpty()) {
      return volume;
    }
    try (ResourceWait observation = new ResourceWait(store)) {
      var path = observation.follow(Engine.KIND, engine.get().name());
      return observation.await(
          "volume " + name,
          waiting,
          () -> path.latest().filter(e -> e.status().activeNodeID().equals(node)).map(e -> volume),
          () -> "node " + node + " to use its disk: " + cause(path.latest()));
    }
  }

  /** Returns the cause of an engine's present placement, never empty. */
  static String cause(Optional<Engine> engine) {
    if (engine.isEmpty()) {
      return "it was detached in the meantime: attach it, then choose the node again";
    }
    String active = engine.get().status().activeNodeID();
    return Condition.find(engine.get().status().conditions(), Engine.PLACED_CONDITION)
        .map(Condition::message)
        .filter(message -> !message.isEmpty())
        .orElse(
            active.isEmpty()
                ? "its engine has not reported"
                : "node " + active + " uses it, and its engine has not reported a move");
  }

  private void requirePlaced(Volume volume) throws StorageException {
    String engine = volume.spec().dataEngine();
    List<Node> nodes = store.list(Node.KIND, LabelSelector.ALL).items();
    if (!EngineDeclaration.of(engine, nodes).isPlaced()) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          "volume "
              + volume.name()
              + ": engine "
              + engine
              + " does not let one node use the disk for all: volumes of the engine lvm do");
    }
  }
}
