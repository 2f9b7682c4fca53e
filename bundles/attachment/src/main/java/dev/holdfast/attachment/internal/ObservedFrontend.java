package dev.holdfast.attachment.internal;

import dev.holdfast.resource.Engine;
import dev.holdfast.resource.InstanceState;
import java.util.Optional;

/** What is seen of a volume's frontend on the node that it is attached to. */
enum ObservedFrontend {
  /** Initiators can connect. */
  SERVING,
  /** The engine runs, and was told to run without a frontend. */
  DISABLED,
  /** The engine does not run there, or its frontend does not serve yet. */
  UNKNOWN;

  static ObservedFrontend of(Optional<Engine> engine, String nodeID) {
    boolean runs =
        engine
            .filter(e -> e.status().currentState() == InstanceState.RUNNING)
            .filter(e -> e.status().nodeID().equals(nodeID) && e.spec().nodeID().equals(nodeID))
            .isPresent();
    if (!runs) {
      return UNKNOWN;
    }
    if (!engine.get().status().endpoint().isEmpty()) {
      return SERVING;
    }
    return engine.get().spec().disableFrontend() ? DISABLED : UNKNOWN;
  }
}
