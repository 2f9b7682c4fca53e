package dev.holdfast.backuptarget.testkit;

import dev.holdfast.backuptarget.ObjectKeys;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.ObjectVisitor;
import dev.holdfast.backuptarget.PutOptions;
import dev.holdfast.backuptarget.StoreCapability;
import dev.holdfast.backuptarget.StoredObject;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** An object store in memory for tests, with all capabilities. Thread-safe. */
public final class MemoryObjectStore implements ObjectStore {
  private final TreeMap<String, Entry> objects = new TreeMap<>(byBytes());
  private final Clock clock;
  private long changes;

  /**
   * Creates an empty store.
   *
   * @param clock of the target, not null
   */
  public MemoryObjectStore(Clock clock) {
    this.clock = clock;
  }

  /** Order of keys by their bytes in UTF-8, which is the order of a listing. */
  public static Comparator<String> byBytes() {
    return (left, right) ->
        Arrays.compareUnsigned(
            left.getBytes(StandardCharsets.UTF_8), right.getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public Set<StoreCapability> capabilities() {
    return Set.of(StoreCapability.values());
  }

  @Override
  public synchronized StoredObject put(String key, List<ByteBuffer> content, PutOptions options)
      throws StorageException {
    Entry present = objects.get(ObjectKeys.check(key));
    boolean differs =
        options.ifTag().isPresent()
            && (present == null || !options.ifTag().get().equals(present.description.tag()));
    if (differs || (options.ifAbsent() && present != null)) {
      throw new StorageException(ErrorCode.CONFLICT, "object " + key + ": changed or exists");
    }
    refuseRetained(key, present);
    ByteBuffer bytes = joined(content);
    StoredObject stored =
        new StoredObject(key, bytes.capacity(), Long.toString(++changes), clock.instant());
    objects.put(key, new Entry(stored, bytes, options.retainUntil()));
    return stored;
  }

  @Override
  public synchronized void get(String key, long offset, ByteBuffer target) throws StorageException {
    Entry present = objects.get(ObjectKeys.check(key));
    if (present == null) {
      throw new StorageException(ErrorCode.NOT_FOUND, "object " + key + ": does not exist");
    }
    if (offset + target.remaining() > present.content.capacity()) {
      throw new StorageException(ErrorCode.IO, "object " + key + ": ends before");
    }
    int length = target.remaining();
    target.put(target.position(), present.content, (int) offset, length);
    target.position(target.limit());
  }

  @Override
  public synchronized Optional<StoredObject> stat(String key) throws StorageException {
    return Optional.ofNullable(objects.get(ObjectKeys.check(key))).map(Entry::description);
  }

  @Override
  public synchronized void delete(Collection<String> keys) throws StorageException {
    for (String key : keys) {
      refuseRetained(key, objects.get(ObjectKeys.check(key)));
      objects.remove(key);
    }
  }

  @Override
  public void list(String prefix, String after, ObjectVisitor visitor) throws StorageException {
    for (StoredObject found : found(prefix, after)) {
      visitor.object(found);
    }
  }

  private synchronized List<StoredObject> found(String prefix, String after) {
    List<StoredObject> found = new ArrayList<>();
    objects.forEach(
        (key, entry) -> {
          if (key.startsWith(prefix) && byBytes().compare(key, after) > 0) {
            found.add(entry.description);
          }
        });
    return found;
  }

  @Override
  public void close() {
    // The content ends with the test.
  }

  private void refuseRetained(String key, Entry present) throws StorageException {
    boolean retained =
        present != null
            && present.retainUntil.isPresent()
            && present.retainUntil.get().isAfter(clock.instant());
    if (retained) {
      throw new StorageException(
          ErrorCode.FORBIDDEN, "object " + key + ": retained until " + present.retainUntil.get());
    }
  }

  private static ByteBuffer joined(List<ByteBuffer> content) {
    int size = content.stream().mapToInt(ByteBuffer::remaining).sum();
    ByteBuffer whole = ByteBuffer.allocate(size);
    content.forEach(part -> whole.put(part.duplicate()));
    return whole;
  }

  private record Entry(
      StoredObject description, ByteBuffer content, Optional<Instant> retainUntil) {}
}
