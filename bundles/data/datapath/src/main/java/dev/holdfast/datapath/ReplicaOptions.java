package dev.holdfast.datapath;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.engine.EngineOption;
import dev.holdfast.engine.EngineProvider;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.Volume;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Options of a new replica: the volume's, and defaults for the rest. The API server checked them
 * against the nodes' reports; the engine of this node may have another version.
 */
public final class ReplicaOptions {
  private ReplicaOptions() {}

  /**
   * Returns a value for each option that an engine declares.
   *
   * @throws StorageException INVALID when the volume has an option or a value that the engine does
   *     not declare
   */
  public static Map<String, String> of(
      EngineProvider engine, String volume, Map<String, String> wanted) throws StorageException {
    Map<String, String> options = new TreeMap<>();
    for (EngineOption option : engine.options()) {
      String value = wanted.getOrDefault(option.name(), option.defaultValue());
      if (!option.allowed().isEmpty() && !option.allowed().contains(value)) {
        throw wrong(
            volume, option.name() + "=" + value, engine, "allowed are " + sorted(option.allowed()));
      }
      options.put(option.name(), value);
    }
    for (Map.Entry<String, String> entry : wanted.entrySet()) {
      if (!options.containsKey(entry.getKey())) {
        throw wrong(volume, entry.getKey(), engine, "its options are " + options.keySet());
      }
    }
    return options;
  }

  /** Returns the options of the volume of a replica; reads the store when the cache is stale. */
  public static Map<String, String> of(
      Replica replica, EngineProvider engine, ReconcileContext context) throws StorageException {
    String volume = replica.spec().volume();
    Optional<Volume> cached = context.get(Volume.KIND, volume);
    Optional<Volume> found = cached.isPresent() ? cached : context.store().get(Volume.KIND, volume);
    return of(engine, volume, found.map(v -> v.spec().engineOptions()).orElse(Map.of()));
  }

  private static Set<String> sorted(Set<String> values) {
    return new TreeSet<>(values);
  }

  private static StorageException wrong(
      String volume, String what, EngineProvider engine, String instead) {
    return new StorageException(
        ErrorCode.INVALID,
        "volume "
            + volume
            + ": spec.engineOptions: engine "
            + engine.name()
            + " on this node does not have "
            + what
            + ": "
            + instead
            + ": install the version of the engine that the other nodes have");
  }
}
