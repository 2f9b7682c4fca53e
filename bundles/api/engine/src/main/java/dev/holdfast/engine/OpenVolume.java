package dev.holdfast.engine;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.error.StorageException;
import java.util.Map;
import org.osgi.annotation.versioning.ConsumerType;

/** An open volume of an engine. Thread-safe. */
@ConsumerType
public interface OpenVolume extends AutoCloseable {

  /** Returns the volume as a device, always the same one, never null. Closed with this object. */
  BlockDevice device();

  /** Returns the present mode of each replica by replica name, never null. */
  Map<String, MemberMode> replicas();

  /**
   * Closes the volume cleanly: waits for requests in flight, makes all data durable, and records on
   * the replicas that they are identical, so that the next opening needs no repair. Idempotent.
   *
   * @throws StorageException IO when data could not be made durable; the volume is closed
   *     nevertheless, and the next opening repairs it
   */
  @Override
  void close() throws StorageException;
}
