package dev.holdfast.backuptarget;

import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Objects by name in a backup target. Calls block, are thread-safe, end within the limits of the
 * {@link StoreOptions}, and may be repeated after a failure. {@link ObjectKeys} defines the valid
 * keys; every call fails with INVALID for any other key.
 *
 * <p>All content of a target is untrusted input: a store never follows a link out of the target,
 * and never allocates memory according to a size that the target reports.
 */
@ConsumerType
public interface ObjectStore extends AutoCloseable {
  /** Returns the capabilities beyond the mandatory calls; never null, constant. */
  Set<StoreCapability> capabilities();

  /**
   * Stores an object atomically. When this method returns, the object is durable and survives a
   * power cut of the target. Readers see the complete former object or the complete new one.
   *
   * @param key of the object, not null
   * @param content the bytes in order, from each buffer's position to its limit; positions are not
   *     changed; not null
   * @param options conditions, not null
   * @return the object as it is stored, never null. Its time may be the time of the answer, which
   *     can differ by seconds from the time that {@link #stat} and {@link #list} return. The times
   *     of these two are equal.
   * @throws StorageException CONFLICT when a condition does not hold; UNSUPPORTED for a condition
   *     without its capability; NO_SPACE; FORBIDDEN; UNREACHABLE or TIMEOUT, after which the object
   *     may be stored or not
   */
  StoredObject put(String key, List<ByteBuffer> content, PutOptions options)
      throws StorageException;

  /**
   * Reads a part of an object and fills the remaining space of the target buffer. After a failure
   * the content of the buffer is undefined.
   *
   * @param key of the object, not null
   * @param offset of the first byte, not negative
   * @param target receives the bytes; afterwards its position equals its limit; not null
   * @throws StorageException NOT_FOUND; IO when the object is shorter
   */
  void get(String key, long offset, ByteBuffer target) throws StorageException;

  /**
   * Describes an object.
   *
   * @param key of the object, not null
   * @return the object, or empty if it does not exist
   * @throws StorageException UNREACHABLE, TIMEOUT, FORBIDDEN, IO
   */
  Optional<StoredObject> stat(String key) throws StorageException;

  /**
   * Deletes objects. Succeeds for objects that do not exist.
   *
   * @param keys of the objects, not null
   * @throws StorageException FORBIDDEN while the target retains one of them; after a failure some
   *     may be deleted
   */
  void delete(Collection<String> keys) throws StorageException;

  /**
   * Visits the objects whose key begins with a prefix, in ascending order of the UTF-8 bytes of
   * their keys. An object that is put or deleted during the listing may be visited or not. A
   * failure causes an exception, never an incomplete list.
   *
   * @param prefix of the keys, empty for all, not null
   * @param after only greater keys are visited, empty for all, not null
   * @param visitor receives the objects, not null
   * @throws StorageException UNREACHABLE, TIMEOUT, FORBIDDEN, IO, or the exception of the visitor
   */
  void list(String prefix, String after, ObjectVisitor visitor) throws StorageException;

  /** Releases connections. Calls in progress fail. Idempotent. */
  @Override
  void close();
}
