package dev.holdfast.datapath.internal;

import dev.holdfast.datapath.RegionCopyPlan;
import dev.holdfast.engine.EngineListener;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.error.StorageException;
import java.util.Optional;

/**
 * How a volume is opened.
 *
 * @param requests called again for every attempt
 * @param forwardTo the node that has it open, to which requests are passed on; empty to open it
 *     here
 * @param frontend by which hosts are to reach it, empty for none: an export that was left is
 *     adopted for its sake
 */
record OpenParameters(
    String dataEngine, RequestSource requests, Optional<String> forwardTo, String frontend) {
  OpenParameters(String dataEngine, RequestSource requests, String frontend) {
    this(dataEngine, requests, Optional.empty(), frontend);
  }

  /** Serves it by passing requests on to the node that has it open. */
  static OpenParameters forward(String dataEngine, String node) {
    return new OpenParameters(
        dataEngine,
        listener -> {
          throw new IllegalStateException("nothing is opened here");
        },
        Optional.of(node),
        "");
  }

  /** Makes the request that an engine is given. */
  @FunctionalInterface
  interface RequestSource {
    OpenRequest request(EngineListener listener) throws StorageException;

    /**
     * Called when the engine opened the volume as requested; no request reaches it before this
     * returns.
     */
    default void opened() throws StorageException {}

    /** Returns what was still to be copied into the volume when it was opened last. */
    default Optional<RegionCopyPlan> copying() {
      return Optional.empty();
    }
  }
}
