package dev.holdfast.datapath.internal;

import dev.holdfast.datapath.RegionCopyPlan;
import dev.holdfast.engine.EngineListener;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.error.StorageException;
import java.util.Optional;

/**
 * Parameters of opening a volume.
 *
 * @param requests creates the request for each attempt
 * @param forwardTo node that has it open and receives the requests; empty to open it here
 * @param frontend frontend of the volume, empty for none; an export of this protocol that an
 *     earlier process left is adopted
 */
record OpenParameters(
    String dataEngine, RequestSource requests, Optional<String> forwardTo, String frontend) {
  OpenParameters(String dataEngine, RequestSource requests, String frontend) {
    this(dataEngine, requests, Optional.empty(), frontend);
  }

  /** Returns parameters for forwarding requests to the node that has the volume open. */
  static OpenParameters forward(String dataEngine, String node) {
    return new OpenParameters(
        dataEngine,
        listener -> {
          throw new IllegalStateException("this node forwards the volume and opens no replica");
        },
        Optional.of(node),
        "");
  }

  /** Creates the request to open the volume. */
  @FunctionalInterface
  interface RequestSource {
    OpenRequest request(EngineListener listener) throws StorageException;

    /**
     * Called when the engine opened the volume as requested; no request reaches it before this
     * returns.
     */
    default void opened() throws StorageException {}

    /** Returns the regions that were still to be copied into the volume at its last opening. */
    default Optional<RegionCopyPlan> copying() {
      return Optional.empty();
    }
  }
}
