package dev.holdfast.backuptarget.nfs.internal;

import dev.holdfast.backuptarget.ForwardingObjectStore;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.ObjectVisitor;
import dev.holdfast.backuptarget.PutOptions;
import dev.holdfast.backuptarget.StoreOptions;
import dev.holdfast.backuptarget.StoredObject;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Bounds the calls of a store whose file system may hang. A call runs on a thread of the target;
 * its caller gives it up after the time limit, and the thread continues alone. Therefore a call
 * works on copies of its caller's buffers. Thread-safe.
 */
final class BoundedObjectStore extends ForwardingObjectStore {
  private static final int PAGE = 1_000;

  /** The transfer of content adds to the time limit of a call as if it were this slow. */
  private static final long SLOWEST_BYTES_PER_SECOND = 1 << 20;

  private final String subject;
  private final ExecutorService threads;
  private final StoreOptions options;
  private final Runnable released;
  private final Semaphore connections;
  private final Map<Long, Future<?>> running = new ConcurrentHashMap<>();
  private final AtomicLong numbers = new AtomicLong();
  private final AtomicBoolean closed = new AtomicBoolean();

  /**
   * Creates a filter.
   *
   * @param subject what messages call the target
   * @param next may hang
   * @param threads of the target, which reject calls when all are busy
   * @param options time limit and number of calls at a time
   * @param released is run once, when the store is closed
   */
  BoundedObjectStore(
      String subject,
      ObjectStore next,
      ExecutorService threads,
      StoreOptions options,
      Runnable released) {
    super(next);
    this.subject = subject;
    this.threads = threads;
    this.options = options;
    this.released = released;
    this.connections = new Semaphore(options.connections());
  }

  @Override
  public StoredObject put(String key, List<ByteBuffer> content, PutOptions put)
      throws StorageException {
    ByteBuffer copy = copy(content);
    return within(limit(copy.remaining()), () -> super.put(key, List.of(copy), put));
  }

  private static ByteBuffer copy(List<ByteBuffer> content) {
    int size = content.stream().mapToInt(ByteBuffer::remaining).sum();
    ByteBuffer copy = ByteBuffer.allocate(size);
    content.forEach(part -> copy.put(part.duplicate()));
    return copy.flip();
  }

  @Override
  public void get(String key, long offset, ByteBuffer target) throws StorageException {
    ByteBuffer copy = ByteBuffer.allocate(target.remaining());
    ByteBuffer read =
        within(
            limit(target.remaining()),
            () -> {
              super.get(key, offset, copy);
              return copy.flip();
            });
    target.put(read);
  }

  @Override
  public Optional<StoredObject> stat(String key) throws StorageException {
    return within(options.request(), () -> super.stat(key));
  }

  @Override
  public void delete(Collection<String> keys) throws StorageException {
    List<String> all = List.copyOf(keys);
    for (int from = 0; from < all.size(); from += PAGE) {
      List<String> page = all.subList(from, Math.min(all.size(), from + PAGE));
      boolean unused =
          within(
              options.request(),
              () -> {
                super.delete(page);
                return true;
              });
    }
  }

  @Override
  public void list(String prefix, String after, ObjectVisitor visitor) throws StorageException {
    String from = after;
    List<StoredObject> page;
    do {
      String start = from;
      page = within(options.request(), () -> page(prefix, start));
      for (StoredObject found : page) {
        visitor.object(found);
        from = found.key();
      }
    } while (page.size() == PAGE);
  }

  /** Ends a listing early. */
  private static final class PageFullException extends StorageException {
    private static final long serialVersionUID = 1L;

    PageFullException() {
      super(ErrorCode.INTERNAL, "page is full");
    }
  }

  private List<StoredObject> page(String prefix, String after) throws StorageException {
    List<StoredObject> page = new ArrayList<>();
    try {
      super.list(
          prefix,
          after,
          found -> {
            page.add(found);
            if (page.size() == PAGE) {
              throw new PageFullException();
            }
          });
    } catch (PageFullException e) {
      return page;
    }
    return page;
  }

  private Duration limit(long bytes) {
    return options.request().plusSeconds(bytes / SLOWEST_BYTES_PER_SECOND);
  }

  private <T> T within(Duration limit, Callable<T> work) throws StorageException {
    long end = System.nanoTime() + limit.toNanos();
    try {
      if (!connections.tryAcquire(limit.toNanos(), TimeUnit.NANOSECONDS)) {
        throw late(limit);
      }
      Future<T> call = submit(work);
      long number = numbers.incrementAndGet();
      running.put(number, call);
      try {
        if (closed.get()) {
          throw new CancellationException();
        }
        return call.get(Math.max(1, end - System.nanoTime()), TimeUnit.NANOSECONDS);
      } finally {
        running.remove(number);
      }
    } catch (TimeoutException e) {
      throw late(limit);
    } catch (CancellationException e) {
      throw new StorageException(ErrorCode.IO, subject + ": closed", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StorageException(ErrorCode.TIMEOUT, subject + ": interrupted", e);
    } catch (ExecutionException e) {
      throw failure(e.getCause());
    }
  }

  /** A call holds its connection until its thread is free, also when its caller gave it up. */
  private <T> Future<T> submit(Callable<T> work) throws StorageException {
    try {
      return threads.submit(
          () -> {
            try {
              return work.call();
            } finally {
              connections.release();
            }
          });
    } catch (RejectedExecutionException e) {
      connections.release();
      throw new StorageException(
          ErrorCode.UNREACHABLE, subject + ": too many calls wait for the server", e);
    }
  }

  private StorageException late(Duration limit) {
    return new StorageException(
        ErrorCode.TIMEOUT,
        subject + ": the server did not answer within " + limit.toSeconds() + " s");
  }

  /** The kernel reports a silent server, and one that forgot the export, as errors of files. */
  private static StorageException failure(Throwable cause) {
    if (!(cause instanceof StorageException failure)) {
      return new StorageException(ErrorCode.INTERNAL, String.valueOf(cause), cause);
    }
    String reason = String.valueOf(failure.getMessage());
    boolean away =
        reason.contains("Input/output error")
            || reason.contains("Stale file handle")
            || reason.contains("Connection timed out");
    return failure.code() == ErrorCode.IO && away
        ? new StorageException(ErrorCode.UNREACHABLE, reason, failure)
        : failure;
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      running.values().forEach(call -> call.cancel(false));
      super.close();
      released.run();
    }
  }
}
