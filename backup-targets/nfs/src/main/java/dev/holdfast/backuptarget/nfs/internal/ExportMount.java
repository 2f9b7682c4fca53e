package dev.holdfast.backuptarget.nfs.internal;

import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.StoreOptions;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.fileobjects.FileObjectStore;
import dev.holdfast.host.NfsMounts;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * One export with its mount, its users, and the threads that touch it. A silent server blocks these
 * threads and no other. Thread-safe.
 */
final class ExportMount {
  /** More calls fail at once while so many wait for the server. */
  static final int THREADS = 32;

  private static final long IDLE_SECONDS = 10;

  private final NfsMounts mounts;
  private final NfsAddress address;
  private final Path point;
  private final ExecutorService calls;
  private final ReentrantLock lock = new ReentrantLock();

  /** Grows under the lock only, so that an unused mount can be removed under it. */
  private final AtomicInteger users = new AtomicInteger();

  ExportMount(NfsMounts mounts, NfsAddress address, Path point) {
    this.mounts = mounts;
    this.address = address;
    this.point = point;
    this.calls =
        new ThreadPoolExecutor(
            0, THREADS, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(), this::thread);
  }

  private Thread thread(Runnable work) {
    Thread thread = new Thread(work, "backup-nfs-" + address.export().host());
    thread.setDaemon(true);
    return thread;
  }

  /** Adds a user, and mounts the export if it is not mounted or its server forgot the mount. */
  void acquire(Duration limit) throws StorageException {
    if (!isLocked(limit)) {
      throw new StorageException(
          ErrorCode.UNREACHABLE,
          address + ": another call has waited for the server for " + limit.toSeconds() + " s");
    }
    try {
      if (!isServed(limit)) {
        mounts.mount(address.export(), point, address.options(), limit);
      }
      users.incrementAndGet();
    } finally {
      lock.unlock();
    }
  }

  private boolean isLocked(Duration limit) throws StorageException {
    try {
      return lock.tryLock(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StorageException(ErrorCode.TIMEOUT, address + ": interrupted", e);
    }
  }

  private boolean isServed(Duration limit) throws StorageException {
    if (mounts.at(point).isEmpty()) {
      return false;
    }
    return switch (mounts.answer(point, limit)) {
      case SERVED -> true;
      case SILENT ->
          throw new StorageException(
              ErrorCode.UNREACHABLE,
              address + ": the server did not answer within " + limit.toSeconds() + " s");
      case STALE -> {
        mounts.unmount(point, limit);
        yield false;
      }
    };
  }

  /** Returns a store for a user, who gives the mount back by closing it. */
  ObjectStore store(StoreOptions options, Consumer<ExportMount> released) {
    return new BoundedObjectStore(
        address.toString(),
        new FileObjectStore(point),
        calls,
        options,
        () -> {
          users.decrementAndGet();
          released.accept(this);
        });
  }

  /** Unmounts the export if no store uses it. */
  void unmountIfUnused(Duration patience) throws StorageException {
    if (users.get() == 0) {
      locked(() -> users.get() == 0, patience);
    }
  }

  /** Unmounts the export; calls of its users fail. */
  void unmount(Duration patience) throws StorageException {
    locked(() -> true, patience);
    calls.shutdown();
  }

  private interface Condition {
    boolean holds();
  }

  private void locked(Condition condition, Duration patience) throws StorageException {
    lock.lock();
    try {
      if (condition.holds()) {
        mounts.unmount(point, patience);
        mounts.removePoint(point);
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public String toString() {
    return address.toString();
  }
}
