package dev.holdfast.engine.spdk.internal.replica;

import dev.holdfast.error.StorageException;
import java.util.Optional;

/** How an engine reaches the record of a replica. For one thread at a time. */
interface LegLink {
  /** Reads the record, empty when none was ever written. */
  Optional<LegRecord> read() throws StorageException;

  /**
   * Ends what every earlier opening can do with the replica, and admits this one.
   *
   * @return the record
   * @throws StorageException CONFLICT after a later opening has fenced it
   */
  LegRecord fence(LegToken token) throws StorageException;

  /** Replaces the record; durable when this returns. */
  void write(LegRecord record) throws StorageException;

  /** As {@link LegNode#expose}. */
  LegShown expose(String lvol, LegHost host) throws StorageException;

  /** As {@link LegNode#attachSource}. */
  String attachSource(LegShown source, LegHost host) throws StorageException;

  /** As {@link LegNode#detachSource}. */
  void detachSource() throws StorageException;

  /** Removes the subsystems that show a volume of the replica. */
  void hide(String lvol) throws StorageException;

  /** Returns why the connection to the record ended, empty while it is not known to have ended. */
  Optional<StorageException> loss();

  /** Returns whether the replica is on another node. */
  boolean isRemote();

  /** Ends the connection; what the node shows stays for the next engine. */
  void disconnect();

  /** Ends the connection and removes what the node shows for this opening. */
  void release() throws StorageException;

  /** Ends a look at the record. What was shown before the look stays. */
  void close() throws StorageException;
}
