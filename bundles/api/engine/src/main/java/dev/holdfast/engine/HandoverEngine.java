package dev.holdfast.engine;

import dev.holdfast.error.StorageException;
import org.osgi.annotation.versioning.ConsumerType;

/** An engine that resumes volumes that another engine of the same name had open. */
@ConsumerType
public interface HandoverEngine extends EngineProvider {

  /**
   * Performs slow one-time work in advance, such as class loading. Called while volumes are in use,
   * before each hand-over from or to this engine; completed work need not be repeated. Returns
   * within seconds without lasting effects. The default does nothing.
   *
   * @since 1.2
   */
  default void prepare() {}

  /**
   * Resumes a volume in the generation in which it was handed over. The engine does not read the
   * register before this method returns. Fences the remains of earlier attempts with lower
   * sessions.
   *
   * @param request as for {@link #open}; its replicas may be outdated, because the hand-over names
   *     the current ones; not null
   * @param handover state from the former engine, not null; consumed on success
   * @return the open volume, never null; the caller closes it
   * @throws StorageException UNSUPPORTED when this engine does not know the format; CONFLICT when a
   *     later generation or session was admitted; UNREACHABLE, TIMEOUT or BUSY when a current
   *     replica is unavailable; INVALID when another program changed one; IO. After a failure the
   *     volume is not open, and another attempt, of this or another engine, may succeed
   */
  OpenVolume resume(OpenRequest request, Handover handover) throws StorageException;
}
