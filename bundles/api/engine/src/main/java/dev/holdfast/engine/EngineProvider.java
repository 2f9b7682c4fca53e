package dev.holdfast.engine;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.Optional;
import java.util.Set;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * A way of keeping volumes. Register an implementation as an OSGi service; the platform finds it by
 * {@link #name()}, which is what {@code Volume.spec.dataEngine} says.
 *
 * <p>All calls but {@link #open} are idempotent, because their caller may have crashed after an
 * earlier one took effect. All may block; none is called on an I/O thread. Calls about different
 * volumes may come at the same time, calls about one volume do not.
 */
@ConsumerType
public interface EngineProvider {

  /** Returns the value of {@code Volume.spec.dataEngine} that selects this engine, never null. */
  String name();

  /**
   * Returns the optional abilities that this engine has, never null. What is not here is not
   * called.
   */
  Set<EngineCapability> capabilities();

  /**
   * Returns the options that volumes of this engine may have, never null. The platform rejects a
   * volume with another option or value.
   *
   * @since 2.1
   */
  default Set<EngineOption> options() {
    return Set.of();
  }

  /**
   * Returns the protocols by which volumes of this engine can be exported past the platform, in
   * lower case as in {@code Volume.spec.frontend}; never null, always the same. Each open volume
   * has them among the protocols of its exports. The platform attaches volumes by these protocols
   * also where no frontend speaks them. An engine without {@link EngineCapability#NATIVE_EXPORT}
   * has none.
   *
   * @since 2.1
   */
  default Set<String> nativeProtocols() {
    return Set.of();
  }

  /**
   * Makes a replica; durable when this returns. Succeeds without effect when the replica is there
   * already with the same size and content. An engine that declares {@link #options} or {@link
   * EngineCapability#BASES} overrides this method; this one serves the requests that the older
   * methods can serve, and refuses a {@link BaseContent}.
   *
   * @param request describes the replica, not null
   * @throws StorageException as {@link #provisionReplica(ReplicaLocation, long)} and {@link
   *     LinkedCloneEngine#cloneReplica}, and as {@link BaseContent} says; UNSUPPORTED for content
   *     or options that this engine does not have
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
   * Makes an empty replica that reads as zeroes, durable when this returns. Succeeds without effect
   * when the replica is there already with the same size.
   *
   * @param replica place of the new replica, not null
   * @param sizeBytes of the volume, a multiple of 4096
   * @throws StorageException INVALID when another volume's or size's replica, or a format this
   *     engine does not know, is in that place (which is left untouched); NO_SPACE; IO
   */
  void provisionReplica(ReplicaLocation replica, long sizeBytes) throws StorageException;

  /**
   * Removes a replica with its data. Succeeds when it is gone already.
   *
   * @param replica where it is, not null
   * @throws StorageException BUSY while a volume has it open; IO
   */
  void deleteReplica(ReplicaLocation replica) throws StorageException;

  /**
   * Looks at a replica without changing it.
   *
   * @param replica where it is, not null
   * @return what is there, empty when nothing is
   * @throws StorageException INVALID when files are there that are not a replica; IO
   */
  Optional<ReplicaInfo> inspectReplica(ReplicaLocation replica) throws StorageException;

  /**
   * Opens a volume: fences earlier engines, decides which replicas are current, makes them
   * identical after an unclean stop, and only then returns.
   *
   * @param request what to open, not null
   * @return the open volume, never null; the caller closes it
   * @throws StorageException CONFLICT when another engine took over; UNREACHABLE when too few
   *     replicas or no register can be seen to know what is current (the message names what is
   *     missing); INVALID; IO
   */
  OpenVolume open(OpenRequest request) throws StorageException;
}
