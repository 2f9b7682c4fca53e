package dev.holdfast.engine;

import java.util.Map;
import java.util.Objects;

/**
 * Request of {@link EngineProvider#provisionReplica(ReplicaRequest)}.
 *
 * @param location place of the replica, on this node or on a disk that this node sees, not null
 * @param sizeBytes of the volume, a multiple of 4096
 * @param content the replica's first content, not null
 * @param options a valid value for each declared option of the engine, not null
 * @since 2.1
 */
public record ReplicaRequest(
    ReplicaLocation location, long sizeBytes, InitialContent content, Map<String, String> options) {
  /** Copies the options and rejects null components. */
  public ReplicaRequest {
    Objects.requireNonNull(location, "location");
    Objects.requireNonNull(content, "content");
    options = Map.copyOf(options);
  }
}
