package dev.holdfast.backuptarget;

import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/** Base of filters that measure, delay or inject faults. Forwards each call to another store. */
public abstract class ForwardingObjectStore implements ObjectStore {
  private final ObjectStore next;

  /**
   * Creates a filter.
   *
   * @param next receives the calls; closed with this store; not null
   */
  protected ForwardingObjectStore(ObjectStore next) {
    this.next = Objects.requireNonNull(next, "next");
  }

  @Override
  public Set<StoreCapability> capabilities() {
    return next.capabilities();
  }

  @Override
  public StoredObject put(String key, List<ByteBuffer> content, PutOptions options)
      throws StorageException {
    return next.put(key, content, options);
  }

  @Override
  public void get(String key, long offset, ByteBuffer target) throws StorageException {
    next.get(key, offset, target);
  }

  @Override
  public Optional<StoredObject> stat(String key) throws StorageException {
    return next.stat(key);
  }

  @Override
  public void delete(Collection<String> keys) throws StorageException {
    next.delete(keys);
  }

  @Override
  public void list(String prefix, String after, ObjectVisitor visitor) throws StorageException {
    next.list(prefix, after, visitor);
  }

  @Override
  public void close() {
    next.close();
  }
}
