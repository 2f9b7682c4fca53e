package dev.holdfast.engine;

import dev.holdfast.error.StorageException;
import org.osgi.annotation.versioning.ConsumerType;

/** An engine that resumes volumes that another engine of its name had open. */
@ConsumerType
public interface HandoverEngine extends EngineProvider {

  /**
   * Does what takes long the first time, such as loading code, before a volume waits for it. Called
   * while volumes are in use, before each that is handed over by this engine or to it; what was
   * done once need not be done again. It returns within seconds and leaves nothing behind. An
   * engine that has nothing to prepare does nothing.
   *
   * @since 1.2
   */
  default void prepare() {}

  /**
   * Resumes a volume in the generation in which it was handed over. The register is not asked
   * before this returns. Fences whatever an earlier attempt with a lower session has left running.
   *
   * @param request as for {@link #open}; the replicas in it may be out of date, those that are
   *     current stand in the hand-over; not null
   * @param handover what the engine before has left, not null; used up when this succeeds
   * @return the open volume, never null; the caller closes it
   * @throws StorageException UNSUPPORTED when this engine does not know the format; CONFLICT when a
   *     later generation or session was admitted; UNREACHABLE, TIMEOUT or BUSY when a replica that
   *     was current cannot be had; INVALID when another program changed one; IO. After each of them
   *     nothing is open, and another attempt, of this or another engine, may succeed
   */
  OpenVolume resume(OpenRequest request, Handover handover) throws StorageException;
}
