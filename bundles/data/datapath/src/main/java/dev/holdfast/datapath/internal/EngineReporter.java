package dev.holdfast.datapath.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.EngineStatus;
import dev.holdfast.store.ResourceStore;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes engines' statuses. Data paths and the reconciler both report, so each status is derived
 * from the stored one. The membership in it belongs to the data path's register.
 */
final class EngineReporter {
  private static final Logger LOG = LoggerFactory.getLogger(EngineReporter.class);
  private static final int ATTEMPTS = 20;

  private EngineReporter() {}

  /**
   * Changes a status in the store.
   *
   * @param status derives the new status from the stored one; returns the same to leave it
   *     unchanged
   * @return the stored engine, empty when it was deleted
   */
  static Optional<Engine> report(ResourceStore store, String name, UnaryOperator<Engine> status)
      throws StorageException {
    for (int attempt = 1; ; attempt++) {
      Optional<Engine> stored = store.get(Engine.KIND, name);
      if (stored.isEmpty()) {
        return stored;
      }
      Engine next = status.apply(stored.get());
      if (next.status().equals(stored.get().status())) {
        return stored;
      }
      try {
        Engine written = store.updateStatus(next);
        tell(stored.get().status(), written);
        return Optional.of(written);
      } catch (StorageException e) {
        if (e.code() == ErrorCode.NOT_FOUND) {
          return Optional.empty();
        }
        if (e.code() != ErrorCode.CONFLICT || attempt == ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  private static void tell(EngineStatus before, Engine written) {
    EngineStatus after = written.status();
    if (before.currentState() != after.currentState()) {
      LOG.info(
          "engine {}: {} on {}{}",
          written.name(),
          after.currentState(),
          after.nodeID(),
          EngineStatuses.problem(after).map(problem -> ": " + problem).orElse(""));
    }
  }
}
