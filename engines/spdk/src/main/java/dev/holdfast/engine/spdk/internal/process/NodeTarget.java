package dev.holdfast.engine.spdk.internal.process;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.engine.spdk.internal.calls.SpdkTarget;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The SPDK target whose process this node runs. Until the process answers and is restored, each
 * call fails with the reason and its remedy. While another bundle of this node supervises the
 * process, calls reach it too, and this object takes over when that bundle has ended. Thread-safe.
 */
public final class NodeTarget extends SpdkTarget {
  private static final Logger LOG = LoggerFactory.getLogger(NodeTarget.class);
  private static final int THREADS = 4;
  private static final long AGAIN_MILLIS = 1_000;

  private final Path folder;
  private final TargetOptions options;
  private final TargetRestore restore;
  private final CountDownLatch tried = new CountDownLatch(1);
  private final ScheduledExecutorService executor =
      new ScheduledThreadPoolExecutor(
          THREADS,
          task -> {
            Thread thread = new Thread(task, "spdk target");
            thread.setDaemon(true);
            return thread;
          });
  private Optional<TargetProcess> process = Optional.empty();
  private Optional<StorageException> obstacle =
      Optional.of(new StorageException(ErrorCode.UNREACHABLE, "SPDK target: not started yet"));
  private boolean closed;

  private NodeTarget(Path folder, TargetOptions options, TargetRestore restore) {
    super(TargetProcess.socket(folder));
    this.folder = folder;
    this.options = options;
    this.restore = restore;
  }

  /**
   * Begins to start the process, or to adopt the one that runs. Does not wait for it.
   *
   * @param folder of its socket, log and record; is made when it is missing; not null
   * @param options not null
   * @param restore makes again what a process lost, not null
   */
  public static NodeTarget start(Path folder, TargetOptions options, TargetRestore restore) {
    NodeTarget target = new NodeTarget(folder, options, restore);
    target.executor.execute(target::attempt);
    return target;
  }

  /** Starts the process, or tries again later. */
  private void attempt() {
    try {
      supervise(TargetProcess.start(folder, options, restore, executor));
    } catch (StorageException e) {
      postpone(e);
    } catch (RuntimeException e) {
      LOG.error("SPDK target: could not be started", e);
      postpone(new StorageException(ErrorCode.INTERNAL, "SPDK target: " + e, e));
    } finally {
      tried.countDown();
    }
  }

  private void supervise(TargetProcess started) throws StorageException {
    boolean late;
    synchronized (this) {
      late = closed;
      if (!late) {
        process = Optional.of(started);
        obstacle = Optional.empty();
      }
    }
    if (late) {
      started.close();
    }
  }

  private synchronized void postpone(StorageException failure) {
    if (closed) {
      return;
    }
    boolean elsewhere = failure.code() == ErrorCode.BUSY;
    boolean known =
        obstacle.filter(one -> one.getMessage().equals(failure.getMessage())).isPresent();
    if (!elsewhere && !known) {
      LOG.warn("SPDK target: could not be started: {}", failure.getMessage());
    }
    obstacle = elsewhere ? Optional.empty() : Optional.of(failure);
    var unused = executor.schedule(this::attempt, AGAIN_MILLIS, TimeUnit.MILLISECONDS);
  }

  private synchronized Optional<TargetProcess> supervised() throws StorageException {
    if (obstacle.isPresent()) {
      StorageException reason = obstacle.get();
      throw new StorageException(reason.code(), reason.getMessage(), reason);
    }
    return process;
  }

  @Override
  public JsonNode call(String method, ObjectNode params, Duration patience)
      throws StorageException {
    Optional<TargetProcess> own = supervised();
    if (own.isPresent()) {
      var unused = own.get().target();
    }
    return super.call(method, params, patience);
  }

  @Override
  public void awaitReady(Duration patience) {
    long end = System.nanoTime() + patience.toNanos();
    try {
      if (!tried.await(patience.toMillis(), TimeUnit.MILLISECONDS)) {
        return;
      }
      Optional<TargetProcess> own = supervised();
      if (own.isPresent()) {
        own.get().awaitReady(Duration.ofNanos(end - System.nanoTime()));
      }
    } catch (StorageException e) {
      LOG.debug("SPDK target: not started", e); // the call that follows reports it
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public synchronized boolean isOutdated() {
    return obstacle.isEmpty() && process.filter(TargetProcess::isOutdated).isPresent();
  }

  @Override
  public void replace() throws StorageException {
    Optional<TargetProcess> own = supervised();
    if (own.isEmpty()) {
      super.replace();
    } else {
      own.get().replace();
    }
  }

  /** Leaves the process running, for the next bundle or container. */
  @Override
  public void close() {
    Optional<TargetProcess> own;
    synchronized (this) {
      closed = true;
      own = process;
      process = Optional.empty();
      obstacle =
          Optional.of(
              new StorageException(ErrorCode.IO, "SPDK target: this engine has been stopped"));
    }
    super.close();
    try {
      if (own.isPresent()) {
        own.get().close();
      }
    } catch (StorageException e) {
      LOG.warn("SPDK target: could not leave its process: {}", e.getMessage());
    }
    executor.shutdownNow();
  }
}
