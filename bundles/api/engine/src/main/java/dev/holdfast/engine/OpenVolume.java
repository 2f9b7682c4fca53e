package dev.holdfast.engine;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.error.StorageException;
import java.util.Map;
import org.osgi.annotation.versioning.ConsumerType;

/** A volume that an engine has open. Thread-safe. */
@ConsumerType
public interface OpenVolume extends AutoCloseable {

  /** Returns the volume as a device, always the same one, never null. Closed with this object. */
  BlockDevice device();

  /** Returns what the engine does with each replica now, by replica name, never null. */
  Map<String, MemberMode> replicas();

  /**
   * Closes in order: requests in flight end, everything is made durable, and the replicas remember
   * that they are identical, so that the next opening has nothing to repair. Idempotent.
   *
   * @throws StorageException IO when something could not be made durable; the volume is closed all
   *     the same, and the next opening repairs it
   */
  @Override
  void close() throws StorageException;
}
