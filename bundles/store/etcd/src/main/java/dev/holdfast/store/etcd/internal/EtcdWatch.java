package dev.holdfast.store.etcd.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.etcd.v3.Event;
import dev.holdfast.etcd.v3.KeyValue;
import dev.holdfast.etcd.v3.WatchCreateRequest;
import dev.holdfast.etcd.v3.WatchRequest;
import dev.holdfast.etcd.v3.WatchResponse;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.store.Watch;
import dev.holdfast.store.WatchEvent;
import dev.holdfast.store.WatchListener;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * One watch. Events from etcd are queued, so that a slow listener delays neither the connection nor
 * other watches, and a separate thread calls the listener. A listener that lags by more than the
 * queue holds ends with EXPIRED.
 */
final class EtcdWatch<R extends Resource<R>> implements Watch, StreamObserver<WatchResponse> {
  private static final int QUEUE = 10_000;
  private static final long START_SECONDS = 10;

  private final ResourceKind<R> kind;
  private final EtcdKeys keys;
  private final WatchListener<R> listener;
  private final Consumer<Watch> onEnd;
  private final BlockingQueue<Optional<Event>> queue = new LinkedBlockingQueue<>();
  private final CompletableFuture<Boolean> created = new CompletableFuture<>();

  /** Cause of the end; an empty element in the queue marks the end. */
  private final CompletableFuture<StorageException> end = new CompletableFuture<>();

  /** Held while the listener is called, so that close waits for the call. */
  private final ReentrantLock calling = new ReentrantLock();

  private volatile boolean closed;
  private volatile Optional<ClientCallStreamObserver<WatchRequest>> requests = Optional.empty();

  EtcdWatch(ResourceKind<R> kind, EtcdKeys keys, WatchListener<R> listener, Consumer<Watch> onEnd) {
    this.kind = kind;
    this.keys = keys;
    this.listener = listener;
    this.onEnd = onEnd;
  }

  /**
   * Starts after a version; etcd has accepted the watch at the return.
   *
   * @throws StorageException EXPIRED, UNREACHABLE, TIMEOUT
   */
  void start(EtcdConnection connection, long version) throws StorageException {
    try {
      ask(connection.watch(this), version);
      awaitCreation();
    } catch (StorageException e) {
      close();
      throw e;
    }
    Thread thread = new Thread(this::run, "store-etcd-watch-" + kind.plural());
    thread.setDaemon(true);
    thread.start();
  }

  private void ask(ClientCallStreamObserver<WatchRequest> stream, long version) {
    requests = Optional.of(stream);
    stream.onNext(
        WatchRequest.newBuilder()
            .setCreateRequest(
                WatchCreateRequest.newBuilder()
                    .setKey(keys.first(kind))
                    .setRangeEnd(keys.end(kind))
                    .setStartRevision(version + 1)
                    .setProgressNotify(true)
                    .setPrevKv(true))
            .build());
  }

  private void awaitCreation() throws StorageException {
    try {
      created.get(START_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw end.join();
    } catch (TimeoutException e) {
      throw new StorageException(ErrorCode.TIMEOUT, "etcd did not begin a watch in time", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StorageException(ErrorCode.TIMEOUT, "interrupted while a watch began", e);
    }
  }

  @Override
  public void onNext(WatchResponse response) {
    if (response.getCanceled()) {
      boolean forgotten = response.getCompactRevision() > 0;
      endWith(
          new StorageException(
              forgotten ? ErrorCode.EXPIRED : ErrorCode.UNREACHABLE,
              forgotten
                  ? "changes of " + kind.plural() + " are no longer kept by etcd; list again"
                  : "etcd ended a watch: " + response.getCancelReason()));
    } else if (response.getCreated()) {
      created.complete(true);
    }
    response.getEventsList().forEach(event -> queue.add(Optional.of(event)));
    if (queue.size() > QUEUE) {
      queue.clear();
      endWith(
          new StorageException(
              ErrorCode.EXPIRED,
              "the listener of a watch of " + kind.plural() + " was too slow; list again"));
    }
  }

  @Override
  public void onError(Throwable cause) {
    endWith(EtcdErrors.of(cause));
  }

  @Override
  public void onCompleted() {
    endWith(new StorageException(ErrorCode.UNREACHABLE, "etcd ended a watch"));
  }

  private void endWith(StorageException cause) {
    end.complete(cause);
    created.completeExceptionally(cause);
    queue.add(Optional.empty());
  }

  private void run() {
    try {
      while (!closed) {
        Optional<Event> next = queue.take();
        if (next.isEmpty()) {
          tellEnd(end.join());
          return;
        }
        tell(event(next.get()));
      }
    } catch (StorageException e) {
      tellEnd(e);
    } catch (RuntimeException e) {
      tellEnd(
          new StorageException(
              ErrorCode.INTERNAL, "the listener of a watch of " + kind.plural() + " failed", e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      onEnd.accept(this);
      hangUp();
    }
  }

  private WatchEvent<R> event(Event event) throws StorageException {
    KeyValue now = event.getKv();
    if (event.getType() == Event.EventType.DELETE) {
      if (!event.hasPrevKv()) {
        throw new StorageException(ErrorCode.EXPIRED, "etcd has compacted its history; list again");
      }
      R last = keys.decode(kind, event.getPrevKv(), now.getModRevision());
      return new WatchEvent<>(WatchEvent.Type.DELETED, last);
    }
    boolean isNew = now.getCreateRevision() == now.getModRevision();
    return new WatchEvent<>(
        isNew ? WatchEvent.Type.ADDED : WatchEvent.Type.MODIFIED,
        keys.decode(kind, now, now.getModRevision()));
  }

  private void tell(WatchEvent<R> event) {
    calling.lock();
    try {
      if (!closed) {
        listener.changed(event);
      }
    } finally {
      calling.unlock();
    }
  }

  private void tellEnd(StorageException cause) {
    calling.lock();
    try {
      if (!closed) {
        closed = true;
        listener.ended(cause);
      }
    } finally {
      calling.unlock();
    }
  }

  @Override
  public void close() {
    closed = true;
    calling.lock();
    try {
      queue.add(Optional.empty());
      end.complete(new StorageException(ErrorCode.UNREACHABLE, "the watch was closed"));
      onEnd.accept(this);
      hangUp();
    } finally {
      calling.unlock();
    }
  }

  private void hangUp() {
    requests.ifPresent(stream -> stream.cancel("the watch was closed", null));
  }
}
