package dev.holdfast.engine;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.Optional;
import java.util.Set;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * An engine. Register an implementation as an OSGi service; {@code Volume.spec.dataEngine} selects
 * it by its {@link #name()}.
 *
 * <p>All calls but {@link #open} are idempotent, because their caller may have crashed after an
 * earlier one took effect. All calls may block and are never made on an I/O thread. Calls about
 * different volumes may be concurrent; calls about one volume are not.
 */
@ConsumerType
public interface EngineProvider {

  /** Returns the value of {@code Volume.spec.dataEngine} that selects this engine, never null. */
  String name();

  /**
   * Returns the optional abilities that this engine has, never null. The platform does not use
   * other abilities.
   */
  Set<EngineCapability> capabilities();

  /**
   * Returns the options of this engine's volumes, never null. The platform rejects a volume with an
   * undeclared option or value.
   *
   * @since 2.1
   */
  default Set<EngineOption> options() {
    return Set.of();
  }

  /**
   * Returns the protocols of native exports, which bypass the platform's frontends, in lower case
   * as in {@code Volume.spec.frontend}; never null, constant. Each open volume supports these
   * protocols. The platform attaches volumes by these protocols even if it has no frontend for
   * them. An engine without {@link EngineCapability#NATIVE_EXPORT} returns an empty set.
   *
   * @since 2.1
   */
  default Set<String> nativeProtocols() {
    return Set.of();
  }

  /**
   * Creates a replica, which is durable when this method returns. Succeeds without effect if the
   * replica already exists with the same size and content. An engine that declares {@link #options}
   * or {@link EngineCapability#BASES} must override this method. The default serves requests that
   * the older methods can serve, and rejects a {@link BaseContent}.
   *
   * @param request describes the replica, not null
   * @throws StorageException as {@link #provisionReplica(ReplicaLocation, long)} and {@link
   *     LinkedCloneEngine#cloneReplica}, and as {@link BaseContent} describes; UNSUPPORTED for
   *     content or options that this engine does not support
   * @since 2.1
   */
  default void provisionReplica(ReplicaRequest request) throws StorageException {
    ReplicaLocation location = request.location();
    if (!request.options().isEmpty()) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          "replica "
              + location.replica()
              + ": engine "
              + name()
              + " has no options: "
              + request.options().keySet()
              + ": remove them from spec.engineOptions of volume "
              + location.volume());
    }
    if (request.content() instanceof SnapshotContent snapshot) {
      if (!(this instanceof LinkedCloneEngine cloning)) {
        throw new StorageException(
            ErrorCode.UNSUPPORTED,
            "replica "
                + location.replica()
                + ": engine "
                + name()
                + " cannot share the content of a snapshot: copy it instead");
      }
      cloning.cloneReplica(location, request.sizeBytes(), snapshot);
    } else if (request.content() instanceof BaseContent content) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          "replica "
              + location.replica()
              + ": engine "
              + name()
              + " has no volumes on backing images, so it cannot use "
              + content.base().image()
              + ": create volume "
              + location.volume()
              + " with another engine or without the image");
    } else {
      provisionReplica(location, request.sizeBytes());
    }
  }

  /**
   * Creates an empty replica that reads as zeroes and is durable when this method returns. Succeeds
   * without effect if the replica already exists with the same size.
   *
   * @param replica place of the new replica, not null
   * @param sizeBytes of the volume, a multiple of 4096
   * @throws StorageException INVALID when the place contains a replica of another volume or size,
   *     or an unknown format (which stays unchanged); NO_SPACE; IO
   */
  void provisionReplica(ReplicaLocation replica, long sizeBytes) throws StorageException;

  /**
   * Removes a replica with its data. Succeeds if the replica is absent.
   *
   * @param replica place of the replica, not null
   * @throws StorageException BUSY while a volume has it open; IO
   */
  void deleteReplica(ReplicaLocation replica) throws StorageException;

  /**
   * Inspects a replica without changes.
   *
   * @param replica place of the replica, not null
   * @return state of the replica, empty if it is absent
   * @throws StorageException INVALID when the place contains files that are not a replica; IO
   */
  Optional<ReplicaInfo> inspectReplica(ReplicaLocation replica) throws StorageException;

  /**
   * Opens a volume: fences earlier engines, decides which replicas are current, makes them
   * identical after an unclean stop, and only then returns.
   *
   * @param request the volume and its replicas, not null
   * @return the open volume, never null; the caller closes it
   * @throws StorageException CONFLICT when another engine took over; UNREACHABLE when the engine
   *     cannot determine the current replicas, because too few replicas or the register cannot be
   *     reached (the message names them); INVALID; IO
   */
  OpenVolume open(OpenRequest request) throws StorageException;
}
