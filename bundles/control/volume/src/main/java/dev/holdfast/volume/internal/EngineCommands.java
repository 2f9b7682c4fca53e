package dev.holdfast.volume.internal;

import dev.holdfast.resource.volume.EngineSpec;
import java.util.List;

/**
 * Commands to an engine about its replicas.
 *
 * @param rebuild the replica to rebuild, empty for none
 * @param attempt number that distinguishes requests to rebuild
 * @param removed replicas to remove from the members
 */
record EngineCommands(String rebuild, long attempt, List<String> removed) {
  EngineCommands {
    removed = List.copyOf(removed);
  }

  static EngineCommands of(EngineSpec spec) {
    return new EngineCommands(spec.rebuildReplica(), spec.rebuildAttempt(), spec.removedReplicas());
  }

  EngineCommands rebuilding(String replica) {
    return new EngineCommands(replica, attempt + 1, removed);
  }

  EngineCommands rebuildingNothing() {
    return new EngineCommands("", attempt, removed);
  }

  EngineCommands removing(List<String> replicas) {
    return new EngineCommands(rebuild, attempt, replicas);
  }

  EngineSpec in(EngineSpec spec) {
    return spec.withRebuildReplica(rebuild)
        .withRebuildAttempt(attempt)
        .withRemovedReplicas(removed);
  }
}
