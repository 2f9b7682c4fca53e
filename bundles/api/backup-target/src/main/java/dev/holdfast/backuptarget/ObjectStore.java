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
 * {@link StoreOptions}, and may be repeated after a failure. {@link ObjectKeys} says which keys are
 * valid; every call answers INVALID for another one.
 *
 * <p>All content of a target is hostile input: a store never follows a link out of the target, and
 * never allocates memory by a size that the target announces.
 */
@ConsumerType
public interface ObjectStore extends AutoCloseable {
  /** Returns what the store can do beyond the mandatory calls; never null, constant. */
  Set<StoreCapability> capabilities();

  /**
   * Stores an object whole or not at all. It is durable when this returns: a power cut of the
   * target does not lose it. Readers see the former object or this one, never a part.
   *
   * @param key of the object, not null
   * @param content the bytes in order, from each buffer's position to its limit; positions are not
   *     changed; not null
   * @param options conditions, not null
   * @return the object as it is stored, never null. Its time may be that of the answer, which
   *     differs by seconds from the time that {@link #stat} and {@link #list} return; these two
   *     agree.
   * @throws StorageException CONFLICT when a condition does not hold; UNSUPPORTED for a condition
   *     without its capability; NO_SPACE; FORBIDDEN; UNREACHABLE or TIMEOUT, after which the object
   *     may be stored or not
   */
  StoredObject put(String key, List<ByteBuffer> content, PutOptions options)
      throws StorageException;

  /**
   * Reads a part of an object: as many bytes as the target buffer has room for. After a failure the
   * content of the buffer is undefined.
   *
   * @param key of the object, not null
   * @param offset of the first byte, not negative
   * @param target receives the bytes; its position is then its limit; not null
   * @throws StorageException NOT_FOUND; IO when the object ends before
   */
  void get(String key, long offset, ByteBuffer target) throws StorageException;

  /**
   * Describes an object.
   *
   * @param key of the object, not null
   * @return the object, or empty when there is none
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
   * Visits the objects whose key begins with a prefix, ascending by the bytes of their keys in
   * UTF-8. An object that is put or deleted during the listing may be visited or not. A failure is
   * an exception, never a shorter list.
   *
   * @param prefix of the keys, empty for all, not null
   * @param after only keys behind this one are visited, empty for all, not null
   * @param visitor receives the objects, not null
   * @throws StorageException UNREACHABLE, TIMEOUT, FORBIDDEN, IO, or what the visitor threw
   */
  void list(String prefix, String after, ObjectVisitor visitor) throws StorageException;

  /** Releases connections. Calls that are in progress fail. Repeatable. */
  @Override
  void close();
}
