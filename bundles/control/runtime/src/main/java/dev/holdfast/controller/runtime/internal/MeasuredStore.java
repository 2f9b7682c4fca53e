package dev.holdfast.controller.runtime.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.metrics.BucketCounter;
import dev.holdfast.metrics.MetricDefinition;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.store.ForwardingResourceStore;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceList;
import dev.holdfast.store.ResourceStore;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * Measures the duration of controllers' requests to the store, by operation and outcome.
 * Thread-safe.
 */
final class MeasuredStore extends ForwardingResourceStore {
  private static final String OK = "ok";
  private static final double NANOS = 1e9;

  private final LongSupplier nanoTime;
  private final Map<Request, BucketCounter> times = new ConcurrentHashMap<>();

  /**
   * A kind of request.
   *
   * @param operation for example {@code list}
   * @param code {@code ok}, or the error code in lower case
   */
  record Request(String operation, String code) {}

  private interface Call<T> {
    T run() throws StorageException;
  }

  MeasuredStore(ResourceStore store, LongSupplier nanoTime) {
    super(store);
    this.nanoTime = nanoTime;
  }

  Map<Request, BucketCounter> times() {
    return times;
  }

  private <T> T timed(String operation, Call<T> call) throws StorageException {
    long began = nanoTime.getAsLong();
    String code = ErrorCode.INTERNAL.name();
    try {
      T result = call.run();
      code = OK;
      return result;
    } catch (StorageException e) {
      code = e.code().name();
      throw e;
    } finally {
      times
          .computeIfAbsent(
              new Request(operation, code.toLowerCase(Locale.ROOT)),
              key -> new BucketCounter(MetricDefinition.REQUEST_SECONDS))
          .observe((nanoTime.getAsLong() - began) / NANOS);
    }
  }

  @Override
  public <R extends Resource<R>> Optional<R> get(ResourceKind<R> kind, String name)
      throws StorageException {
    return timed("get", () -> super.get(kind, name));
  }

  @Override
  public <R extends Resource<R>> ResourceList<R> list(ResourceKind<R> kind, LabelSelector selector)
      throws StorageException {
    return timed("list", () -> super.list(kind, selector));
  }

  @Override
  public <R extends Resource<R>> R create(R resource) throws StorageException {
    return timed("create", () -> super.create(resource));
  }

  @Override
  public <R extends Resource<R>> R update(R resource) throws StorageException {
    return timed("update", () -> super.update(resource));
  }

  @Override
  public <R extends Resource<R>> R updateStatus(R resource) throws StorageException {
    return timed("update_status", () -> super.updateStatus(resource));
  }

  @Override
  public <R extends Resource<R>> Optional<R> delete(ResourceKind<R> kind, String name, String uid)
      throws StorageException {
    return timed("delete", () -> super.delete(kind, name, uid));
  }
}
