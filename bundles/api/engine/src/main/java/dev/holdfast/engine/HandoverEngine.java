package dev.holdfast.engine;

import dev.holdfast.error.StorageException;
import org.osgi.annotation.versioning.ConsumerType;

/** An engine that resumes volumes that another engine of its name had open. */
@ConsumerType
public interface HandoverEngine extends EngineProvider {

  /**
   * Does in advance what takes long the first time, such as loading code. Called while volumes are
   * in use, before each hand-over from this engine or to it; work that was done once need not be
   * repeated. Returns within seconds and leaves nothing behind. An engine that has nothing to
   * prepare does nothing.
   *
   * @since 1.2
   */
  default void prepare() {}

  /**
   * Resumes a volume in the generation in which it was handed over. The engine does not read the
   * register before this returns. Fences everything that an earlier attempt with a lower session
   * left running.
   *
   * @param request as for {@link #open}; the replicas in it may be out of date, those that are
   *     current stand in the hand-over; not null
   * @param handover state that the former engine handed over, not null; used up when this succeeds
   * @return the open volume, never null; the caller closes it
   * @throws StorageException UNSUPPORTED when this engine does not know the format; CONFLICT when a
   *     later generation or session was admitted; UNREACHABLE, TIMEOUT or BUSY when a replica that
   *     was current cannot be had; INVALID when another program changed one; IO. After each of them
   *     nothing is open, and another attempt, of this or another engine, may succeed
   */
  OpenVolume resume(OpenRequest request, Handover handover) throws StorageException;
}
