package dev.holdfast.attachment.internal;

import dev.holdfast.resource.volume.DesireState;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.InstanceState;
import java.util.Optional;

/** Observed state of a volume's frontend on a node. */
enum ObservedFrontend {
  /** Initiators can connect. */
  SERVING,
  /** The engine runs without a frontend, as its spec requires. */
  DISABLED,
  /** The engine or its frontend does not serve there yet, or the node is unreachable. */
  UNKNOWN;

  static ObservedFrontend of(AttachmentView view, String nodeID) {
    Optional<Engine> running =
        view.engines().stream()
            .filter(e -> e.status().currentState() == InstanceState.RUNNING)
            .filter(e -> e.status().nodeID().equals(nodeID) && e.spec().nodeID().equals(nodeID))
            .findFirst();
    if (!view.isReady(nodeID)) {
      return UNKNOWN;
    }
    if (running.isEmpty()) {
      return view.engines().stream().anyMatch(e -> isForwardedFrom(nodeID, e)) ? SERVING : UNKNOWN;
    }
    if (!running.get().status().endpoint().isEmpty()) {
      return SERVING;
    }
    return running.get().spec().disableFrontend() ? DISABLED : UNKNOWN;
  }

  /**
   * Returns whether the node forwards. It does so too while the node takes over the volume, because
   * its clients then wait and keep their connections.
   */
  private static boolean isForwardedFrom(String nodeID, Engine engine) {
    boolean wanted =
        engine.spec().forwardingNodes().contains(nodeID) || engine.spec().nodeID().equals(nodeID);
    return wanted
        && engine.spec().desireState() == DesireState.RUNNING
        && !engine.status().forwardingEndpoint(nodeID).isEmpty();
  }
}
