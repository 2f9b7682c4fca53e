package dev.holdfast.engine;

import dev.holdfast.error.StorageException;
import org.osgi.annotation.versioning.ConsumerType;

/** A volume that another engine of the same name can resume while it is in use. */
@ConsumerType
public interface HandoverVolume extends OpenVolume {

  /**
   * Ends this opening in favour of the next one of the same generation. Called while no request to
   * the device is in flight and none arrives. After this method returned, this engine changes
   * nothing of the volume, and it holds no lock. The engine does not read the register. Blocks, but
   * no longer for a large volume than for a small one.
   *
   * <p>Requests of hosts to a {@code NativeExport} continue during the call and afterwards, because
   * another process serves them. The export stays until the next opening withdraws it; its object
   * of this opening then has no effect.
   *
   * @param lasting whether no engine may resume it for a while, or ever: then everything is made
   *     durable, as by {@link #close}; otherwise it is enough that the death of the process loses
   *     nothing
   * @return what the next engine needs, never null
   * @throws StorageException BUSY while an operation runs that must not be interrupted: the volume
   *     is open as before; with any other code it is closed, and has to be opened again
   */
  Handover handOver(boolean lasting) throws StorageException;
}
