package dev.holdfast.node;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.engine.EngineProvider;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.Volume;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * A source of the first content of volumes, such as the copies of another volume. Registered as a
 * service by the bundle that implements the source.
 *
 * <p>The node calls the source before it creates a replica of a volume that awaits its content.
 * While the source of a volume is not installed, its new replicas wait, because an empty replica
 * would pass for one with content. Implementations are thread-safe.
 */
@ConsumerType
public interface InitialContentSource {
  /** Returns whether this source supplies the volume's first content. */
  boolean supplies(Volume volume);

  /**
   * Supplies the first content of one replica as far as possible now. Called repeatedly;
   * idempotent. The call may create the replica in its engine.
   *
   * @param volume volume in the store that awaits its content
   * @param replica replica of that volume on this node; never a witness
   * @param engine that stores the replica
   * @param made whether the replica was provisioned once
   * @param context for reading other resources
   * @return the state of the replica
   * @throws StorageException failure of the engine or the store; the call is repeated later
   */
  InitialContentState provide(
      Volume volume, Replica replica, EngineProvider engine, boolean made, ReconcileContext context)
      throws StorageException;
}
