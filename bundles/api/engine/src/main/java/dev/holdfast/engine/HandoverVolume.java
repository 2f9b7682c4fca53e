package dev.holdfast.engine;

import dev.holdfast.error.StorageException;
import org.osgi.annotation.versioning.ConsumerType;

/** A volume that another engine of the same name can resume during use. */
@ConsumerType
public interface HandoverVolume extends OpenVolume {

  /**
   * Ends this opening in favour of the next one of the same generation. The caller ensures that the
   * device has no requests in flight and receives none. After this method returns, this engine does
   * not change the volume and holds no locks. The engine does not read the register. Blocks; the
   * duration does not depend on the size of the volume.
   *
   * <p>Requests of hosts to a {@code NativeExport} continue during the call and afterwards, because
   * another process serves them. The export stays until the next opening withdraws it. Afterwards
   * the export object of this opening has no effect.
   *
   * @param lasting whether the volume may be resumed late or never; if true, all data is made
   *     durable as by {@link #close}; if false, data must only survive the end of the process
   * @return state for the next engine, never null
   * @throws StorageException BUSY while an operation runs that must not be interrupted; the volume
   *     then stays open. After any other code the volume is closed and must be opened again
   */
  Handover handOver(boolean lasting) throws StorageException;
}
