package dev.holdfast.engine.spdk.internal.replica;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.error.StorageException;
import java.time.Duration;

/**
 * A node with replicas, as the engine of the node that opens their volume uses it. Each call but
 * {@link #look} and {@link #fence} is refused with FORBIDDEN unless its opening fenced the replica
 * last. All calls throw UNREACHABLE or TIMEOUT when the node cannot be asked. Thread-safe.
 */
public interface LegNode {
  /**
   * Reads the record of a replica.
   *
   * @param key without store and identity
   * @throws StorageException NOT_FOUND when the replica is not there
   */
  LegView look(LegKey key) throws StorageException;

  /**
   * Ends what every earlier opening can do with a replica. When this returns, no earlier opening
   * changes a byte of it. Idempotent.
   *
   * @throws StorageException CONFLICT after a later opening has fenced it
   */
  LegView fence(LegKey key) throws StorageException;

  /** Replaces the record; durable when this returns. */
  void write(LegKey key, LegRecord record) throws StorageException;

  /**
   * Shows a volume of the replica to one host by a subsystem of this generation. Idempotent.
   *
   * @param lvol name in the store
   * @param host the target that connects
   */
  LegShown expose(LegKey key, String lvol, LegHost host) throws StorageException;

  /** Removes the subsystems that show a volume of the replica. Succeeds when there are none. */
  void hide(LegKey key, String lvol) throws StorageException;

  /**
   * Attaches a volume of another node: the snapshot on which the head of the replica stands while
   * it is rebuilt, or the layer that receives a copy of its snapshot. An earlier one is detached.
   *
   * @param host the node's target
   * @return the name of the device at the node's target
   */
  String attachSource(LegKey key, LegShown source, LegHost host) throws StorageException;

  /** Detaches that volume. Succeeds when there is none. */
  void detachSource(LegKey key) throws StorageException;

  /** Ends the use of the replica by this opening. */
  void end(LegKey key) throws StorageException;

  /**
   * Calls a method of the node's target about volumes of the replica.
   *
   * @throws StorageException FORBIDDEN for a method or a name that is not permitted; as the call
   */
  JsonNode call(LegKey key, String method, ObjectNode params, Duration patience)
      throws StorageException;
}
