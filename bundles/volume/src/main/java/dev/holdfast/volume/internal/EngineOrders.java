package dev.holdfast.volume.internal;

import dev.holdfast.resource.volume.EngineSpec;
import java.util.List;

/**
 * What an engine is told about its replicas.
 *
 * @param rebuild the replica to make current, empty for none
 * @param attempt tells one order to rebuild from another
 * @param removed replicas that shall not be members any more
 */
record EngineOrders(String rebuild, long attempt, List<String> removed) {
  EngineOrders {
    removed = List.copyOf(removed);
  }

  static EngineOrders of(EngineSpec spec) {
    return new EngineOrders(spec.rebuildReplica(), spec.rebuildAttempt(), spec.removedReplicas());
  }

  EngineOrders rebuilding(String replica) {
    return new EngineOrders(replica, attempt + 1, removed);
  }

  EngineOrders rebuildingNothing() {
    return new EngineOrders("", attempt, removed);
  }

  EngineOrders removing(List<String> replicas) {
    return new EngineOrders(rebuild, attempt, replicas);
  }

  EngineSpec in(EngineSpec spec) {
    return spec.withRebuildReplica(rebuild)
        .withRebuildAttempt(attempt)
        .withRemovedReplicas(removed);
  }
}
