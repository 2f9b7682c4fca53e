package dev.holdfast.store.embedded.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.store.WatchEvent;
import dev.holdfast.store.runtime.Transition;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Commits writes in groups. One thread takes all waiting writes, applies them one after the other
 * in one transaction, and makes them durable by one sync. Only then it reports them to their
 * callers and the watches.
 */
final class WriteQueue implements AutoCloseable {
  private static final int LARGEST_GROUP = 128;
  private static final Logger LOG = LoggerFactory.getLogger(WriteQueue.class);

  private final WriterSource source;
  private final BooleanSupplier growth;
  private final SqlErrors errors;
  private final Consumer<ResourceKind<?>> onDurable;
  private final LinkedBlockingQueue<Pending<?>> queue = new LinkedBlockingQueue<>();
  private final Thread thread;
  private Optional<StoreWriter> writer;
  private volatile boolean closing;
  private volatile boolean ended;

  /** Opens the writing side of the file. */
  interface WriterSource {
    StoreWriter open() throws SQLException;
  }

  /**
   * Opens a writer and starts.
   *
   * @param source also opens the writer that replaces one after a failure
   * @param growth extends the file while no writer is open; false when it cannot grow
   */
  WriteQueue(
      WriterSource source,
      BooleanSupplier growth,
      SqlErrors errors,
      Consumer<ResourceKind<?>> onDurable)
      throws SQLException {
    this.source = source;
    this.growth = growth;
    this.writer = Optional.of(source.open());
    this.errors = errors;
    this.onDurable = onDurable;
    thread = new Thread(this::run, "store-embedded-writer");
    thread.setDaemon(true);
    thread.start();
  }

  /** A waiting write, with the future of its caller. */
  private static final class Pending<R extends Resource<R>> {
    private final ResourceKind<R> kind;
    private final String name;
    private final StoreWriter.Rule<R> rule;
    private final CompletableFuture<Transition<R>> outcome = new CompletableFuture<>();
    // Used by the writer's thread: whether the write would add a resource.
    private boolean adds;

    Pending(ResourceKind<R> kind, String name, StoreWriter.Rule<R> rule) {
      this.kind = kind;
      this.name = name;
      this.rule = rule;
    }

    /** Applies the write. Returns the report to its caller, to run once the group is durable. */
    Runnable applyTo(StoreWriter writer, Set<ResourceKind<?>> changed) throws SQLException {
      try {
        Transition<R> done = writer.apply(kind, name, this::decide);
        if (done.change().isPresent()) {
          changed.add(kind);
        }
        return () -> outcome.complete(done);
      } catch (StorageException e) {
        return () -> outcome.completeExceptionally(e);
      } catch (RuntimeException e) {
        return () ->
            outcome.completeExceptionally(
                new StorageException(
                    ErrorCode.INTERNAL, "writing " + kind.singular() + " \"" + name + "\"", e));
      }
    }

    private Transition<R> decide(Optional<R> stored) throws StorageException {
      Transition<R> decided = rule.decide(stored);
      adds = decided.change().filter(type -> type == WatchEvent.Type.ADDED).isPresent();
      return decided;
    }

    void fail(StorageException e) {
      outcome.completeExceptionally(e);
    }
  }

  /** Waits until a write is durable or has failed. */
  <R extends Resource<R>> Transition<R> write(
      ResourceKind<R> kind, String name, StoreWriter.Rule<R> rule) throws StorageException {
    if (closing) {
      throw closed();
    }
    Pending<R> pending = new Pending<>(kind, name, rule);
    queue.add(pending);
    if (ended) {
      failWaiting();
    }
    try {
      return pending.outcome.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StorageException(
          ErrorCode.TIMEOUT,
          "interrupted while writing "
              + kind.singular()
              + " \""
              + name
              + "\"; whether it took effect is not known",
          e);
    } catch (ExecutionException e) {
      throw failure(e.getCause());
    }
  }

  private static StorageException failure(Throwable cause) {
    return cause instanceof StorageException known
        ? known
        : new StorageException(ErrorCode.INTERNAL, "the write failed", cause);
  }

  private void run() {
    List<Pending<?>> group = new ArrayList<>();
    try {
      while (!closing || !queue.isEmpty()) {
        group.add(queue.take());
        queue.drainTo(group, LARGEST_GROUP - 1);
        commit(group);
        group.clear();
      }
    } catch (InterruptedException e) {
      // Only close() interrupts this thread, to wake it from waiting for an empty queue.
      Thread.currentThread().interrupt();
    } finally {
      ended = true;
      failWaiting();
    }
  }

  private void commit(List<Pending<?>> group) {
    Optional<StorageException> failure = attempt(group);
    while (isForLackOfSpace(failure) && growth.getAsBoolean()) {
      failure = attempt(group);
    }
    if (isForLackOfSpace(failure) && group.size() > 1) {
      // Some of the writes may fit.
      group.forEach(pending -> commit(List.of(pending)));
      return;
    }
    while (isForLackOfSpace(failure) && !group.get(0).adds && makeRoom()) {
      failure = attempt(group);
    }
    failure.ifPresent(cause -> group.forEach(pending -> pending.fail(cause)));
  }

  private static boolean isForLackOfSpace(Optional<StorageException> failure) {
    return failure.filter(e -> e.code() == ErrorCode.NO_SPACE).isPresent();
  }

  /** Returns why the group had no effect, or may have had none; empty on success. */
  private Optional<StorageException> attempt(List<Pending<?>> group) {
    List<Runnable> acknowledgements = new ArrayList<>();
    Set<ResourceKind<?>> changed = new HashSet<>();
    StoreWriter open;
    try {
      open = writer.isPresent() ? writer.get() : source.open();
      writer = Optional.of(open);
      for (Pending<?> pending : group) {
        acknowledgements.add(pending.applyTo(open, changed));
      }
    } catch (SQLException e) {
      return Optional.of(afterFailure(errors.failed("writing", e)));
    }
    try {
      open.commit();
    } catch (SQLException e) {
      return Optional.of(afterFailure(errors.failedCommit(e)));
    }
    acknowledgements.forEach(Runnable::run);
    changed.forEach(onDurable);
    return Optional.empty();
  }

  /**
   * Deletes recorded changes that only watches need, so that deletions and the writes before them
   * have space. Returns false when none is left.
   */
  private boolean makeRoom() {
    try {
      StoreWriter open = source.open();
      writer = Optional.of(open);
      boolean room = open.makeRoom();
      open.commit();
      if (room) {
        LOG.warn("store: its file cannot grow: dropped the oldest changes kept for watches");
      }
      return room;
    } catch (SQLException e) {
      StorageException cause = afterFailure(errors.failed("writing", e));
      LOG.warn("store: could not drop changes kept for watches: {}", cause.getMessage());
      return false;
    }
  }

  private StorageException afterFailure(StorageException cause) {
    try {
      closeWriter();
    } catch (SQLException e) {
      cause.addSuppressed(e);
    }
    return cause;
  }

  private void closeWriter() throws SQLException {
    Optional<StoreWriter> last = writer;
    writer = Optional.empty();
    if (last.isPresent()) {
      last.get().close();
    }
  }

  private void failWaiting() {
    for (Pending<?> pending = queue.poll(); pending != null; pending = queue.poll()) {
      pending.fail(closed());
    }
  }

  private static StorageException closed() {
    return new StorageException(ErrorCode.UNREACHABLE, "the resource store was closed");
  }

  /** Finishes the writes in progress, fails later ones, and closes the writer. */
  @Override
  public void close() throws SQLException {
    closing = true;
    boolean interrupted = false;
    while (thread.isAlive()) {
      thread.interrupt();
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    closeWriter();
  }
}
