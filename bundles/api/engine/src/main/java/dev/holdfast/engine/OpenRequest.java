package dev.holdfast.engine;

import java.util.List;
import java.util.Objects;

/**
 * Request of {@link EngineProvider#open}.
 *
 * @param volume name of the volume, not null
 * @param sizeBytes of the volume, a multiple of 4096
 * @param nodeId name of the node on which this engine runs, not null
 * @param replicas all replicas of the volume that may still hold its content, at least one
 * @param register the volume's membership record in the store, not null
 * @param listener receives the volume's events, not null
 * @param options options of the opening, not null
 */
public record OpenRequest(
    String volume,
    long sizeBytes,
    String nodeId,
    List<ReplicaLocation> replicas,
    MembershipRegister register,
    EngineListener listener,
    OpenOptions options) {
  /** Creates a request with {@link OpenOptions#DEFAULT}. */
  public OpenRequest(
      String volume,
      long sizeBytes,
      String nodeId,
      List<ReplicaLocation> replicas,
      MembershipRegister register,
      EngineListener listener) {
    this(volume, sizeBytes, nodeId, replicas, register, listener, OpenOptions.DEFAULT);
  }

  /** Copies the list, rejects null components and an empty list of replicas. */
  public OpenRequest {
    Objects.requireNonNull(volume, "volume");
    Objects.requireNonNull(nodeId, "nodeId");
    replicas = List.copyOf(replicas);
    Objects.requireNonNull(register, "register");
    Objects.requireNonNull(listener, "listener");
    Objects.requireNonNull(options, "options");
    if (replicas.isEmpty()) {
      throw new IllegalArgumentException("replicas: at least one is needed to open " + volume);
    }
  }
}
