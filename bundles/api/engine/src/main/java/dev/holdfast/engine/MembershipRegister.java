package dev.holdfast.engine;

import dev.holdfast.error.StorageException;
import org.osgi.annotation.versioning.ProviderType;

/**
 * One volume's {@link Membership} in the store: calls are linearizable, durable when they return,
 * and never served from a cache. Thread-safe; calls block.
 */
@ProviderType
public interface MembershipRegister {

  /**
   * Reads the record.
   *
   * @return the record, {@link Membership#NONE} before the first opening, never null
   * @throws StorageException UNREACHABLE or TIMEOUT when the store cannot be reached
   */
  Membership read() throws StorageException;

  /**
   * Replaces the record if it is still the expected one.
   *
   * @param expected the record that the caller last read, not null
   * @param next the new record, not null
   * @return whether it was replaced; false means that the record differs from the expected one
   * @throws StorageException UNREACHABLE or TIMEOUT when the outcome is unknown: read the record
   *     again before any decision
   */
  boolean compareAndSet(Membership expected, Membership next) throws StorageException;
}
