package dev.holdfast.backup.internal.system;

import dev.holdfast.store.ResourceStore;
import dev.holdfast.store.WorkloadObjects;
import java.util.List;
import java.util.Map;

/** Objects of an orchestrator in system backups; none if the store has no orchestrator. */
final class WorkloadItems {
  /** The objects of a store without an orchestrator. */
  static final WorkloadObjects NONE =
      new WorkloadObjects() {
        @Override
        public List<String> kinds() {
          return List.of();
        }

        @Override
        public Map<String, String> read(Volumes volumes) {
          return Map.of();
        }

        @Override
        public boolean create(String text, Map<String, String> mark, Volumes volumes) {
          return false;
        }
      };

  private WorkloadItems() {}

  /** Returns the orchestrator's objects of a store. */
  static WorkloadObjects of(ResourceStore store) {
    return store instanceof WorkloadObjects objects ? objects : NONE;
  }
}
