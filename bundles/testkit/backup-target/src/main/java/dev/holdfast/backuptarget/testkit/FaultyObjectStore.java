package dev.holdfast.backuptarget.testkit;

import dev.holdfast.backuptarget.ForwardingObjectStore;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.ObjectVisitor;
import dev.holdfast.backuptarget.PutOptions;
import dev.holdfast.backuptarget.StoredObject;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** Calls a plan before each call of a store; the plan may throw the error of the call. */
public final class FaultyObjectStore extends ForwardingObjectStore {
  private final Plan plan;

  /**
   * Creates a filter.
   *
   * @param next the store below, not null
   * @param plan called before each call, not null
   */
  public FaultyObjectStore(ObjectStore next, Plan plan) {
    super(next);
    this.plan = Objects.requireNonNull(plan, "plan");
  }

  /** Decides which calls fail. Called by the threads of the callers. */
  @FunctionalInterface
  public interface Plan {
    /**
     * Permits a call or fails it.
     *
     * @param call the call, never null
     * @param key of the object, or the prefix of a listing, never null
     * @throws StorageException error of the call
     */
    void before(Call call, String key) throws StorageException;
  }

  /** The calls of a store. */
  public enum Call {
    /** {@link ObjectStore#put}. */
    PUT,
    /** {@link ObjectStore#get}. */
    GET,
    /** {@link ObjectStore#stat}. */
    STAT,
    /** {@link ObjectStore#delete}, once for each key. */
    DELETE,
    /** {@link ObjectStore#list}. */
    LIST
  }

  @Override
  public StoredObject put(String key, List<ByteBuffer> content, PutOptions options)
      throws StorageException {
    plan.before(Call.PUT, key);
    return super.put(key, content, options);
  }

  @Override
  public void get(String key, long offset, ByteBuffer target) throws StorageException {
    plan.before(Call.GET, key);
    super.get(key, offset, target);
  }

  @Override
  public Optional<StoredObject> stat(String key) throws StorageException {
    plan.before(Call.STAT, key);
    return super.stat(key);
  }

  @Override
  public void delete(Collection<String> keys) throws StorageException {
    for (String key : keys) {
      plan.before(Call.DELETE, key);
      super.delete(List.of(key));
    }
  }

  @Override
  public void list(String prefix, String after, ObjectVisitor visitor) throws StorageException {
    plan.before(Call.LIST, prefix);
    super.list(prefix, after, visitor);
  }
}
