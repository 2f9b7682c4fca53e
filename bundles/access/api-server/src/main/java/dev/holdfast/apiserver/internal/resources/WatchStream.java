package dev.holdfast.apiserver.internal.resources;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.apiserver.internal.http.ApiResponse;
import dev.holdfast.apiserver.internal.http.ApiStatus;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Resource;
import dev.holdfast.store.ResourceList;
import dev.holdfast.store.Watch;
import dev.holdfast.store.WatchEvent;
import dev.holdfast.store.WatchListener;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One watch of one client: the store's thread puts changes into a bounded backlog, the stream's
 * thread takes them out and writes them. When the backlog is full the client is too slow: it gets
 * what waits, then an error of code 410, and the store continues without it.
 */
final class WatchStream<R extends Resource<R>> implements WatchListener<R>, ApiResponse.Stream {
  private static final byte[] HEARTBEAT = {' '};

  private final Selection<R> selection;
  private final View<R> view;
  private final WatchSettings settings;
  private final Options options;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Deque<WatchEvent<R>> backlog = new ArrayDeque<>();
  private Optional<StorageException> failure = Optional.empty();
  private Optional<Watch> watch = Optional.empty();
  private boolean closed;

  // Used by the stream's thread only, from here on.
  private final List<R> initial = new ArrayList<>();
  private final SeenResources<R> seen;
  private String lastVersion;

  /**
   * Options of the client.
   *
   * @param bookmarks whether it understands bookmarks
   * @param markInitialEnd whether it waits for the bookmark that ends the initial events
   * @param timeoutSeconds when to end, 0 for our choice
   */
  record Options(boolean bookmarks, boolean markInitialEnd, long timeoutSeconds) {}

  WatchStream(
      Selection<R> selection,
      View<R> view,
      WatchSettings settings,
      Options options,
      String resourceVersion) {
    this.selection = selection;
    this.seen = new SeenResources<>(selection);
    this.view = view;
    this.settings = settings;
    this.options = options;
    this.lastVersion = resourceVersion;
  }

  /** Begins with what is there already; to be called before {@link #attach}. */
  void startAfter(ResourceList<R> present, boolean send) {
    lastVersion = present.resourceVersion();
    seen.learnAll(present);
    for (R resource : present.items()) {
      if (send && selection.matches(resource)) {
        initial.add(resource);
      }
    }
  }

  /** Learns what the client has; to be called before {@link #attach}. */
  void learn(ResourceList<R> present) {
    seen.learn(present, lastVersion);
  }

  void attach(Watch running) {
    lock.lock();
    try {
      if (!closed && failure.isEmpty()) {
        watch = Optional.of(running);
        return;
      }
    } finally {
      lock.unlock();
    }
    running.close();
  }

  @Override
  public void changed(WatchEvent<R> event) {
    lock.lock();
    try {
      if (closed || failure.isPresent()) {
        return;
      }
      if (backlog.size() >= settings.backlog()) {
        failure =
            Optional.of(
                new StorageException(
                    ErrorCode.EXPIRED,
                    "this watch was too slow: more than "
                        + settings.backlog()
                        + " changes waited for it; list again"));
      } else {
        backlog.add(event);
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void ended(StorageException cause) {
    lock.lock();
    try {
      if (failure.isEmpty()) {
        failure = Optional.of(cause);
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void run(OutputStream out) throws IOException {
    for (R resource : initial) {
      write(out, "ADDED", view.one(resource));
    }
    initial.clear();
    if (options.markInitialEnd()) {
      write(out, "BOOKMARK", bookmark(true));
    }
    out.flush();
    Duration lifetime =
        options.timeoutSeconds() > 0
            ? Duration.ofSeconds(options.timeoutSeconds())
            : settings.lifetime();
    long end = System.nanoTime() + lifetime.toNanos();
    try {
      pump(out, end);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void pump(OutputStream out, long end) throws IOException, InterruptedException {
    while (true) {
      Batch<R> batch = next(Math.min(settings.heartbeat().toNanos(), end - System.nanoTime()));
      for (WatchEvent<R> event : batch.events()) {
        writeEvent(out, event);
      }
      if (batch.failure().isPresent()) {
        writeFailure(out, batch.failure().get());
        return;
      } else if (batch.closed() || System.nanoTime() - end >= 0) {
        writeBookmark(out);
        return;
      } else if (batch.events().isEmpty()) {
        heartbeat(out);
      }
      out.flush();
    }
  }

  /** Changes to write; none when the time passed without a change. */
  private record Batch<R extends Resource<R>>(
      List<WatchEvent<R>> events, Optional<StorageException> failure, boolean closed) {}

  private Batch<R> next(long nanos) throws InterruptedException {
    lock.lock();
    try {
      long left = nanos;
      while (backlog.isEmpty() && failure.isEmpty() && !closed && left > 0) {
        left = changed.awaitNanos(left);
      }
      Batch<R> batch = new Batch<>(List.copyOf(backlog), failure, closed);
      backlog.clear();
      return batch;
    } finally {
      lock.unlock();
    }
  }

  private void writeEvent(OutputStream out, WatchEvent<R> event) throws IOException {
    R resource = event.resource();
    lastVersion = resource.metadata().resourceVersion();
    Optional<WatchEvent.Type> type = seen.typeOf(event);
    if (type.isPresent()) {
      write(out, type.get().name(), view.one(resource));
    }
  }

  private void heartbeat(OutputStream out) throws IOException {
    if (options.bookmarks()) {
      writeBookmark(out);
    } else {
      // White space before the next document: no reader of JSON sees it, a closed socket does.
      out.write(HEARTBEAT);
    }
  }

  private void writeBookmark(OutputStream out) throws IOException {
    if (options.bookmarks()) {
      write(out, "BOOKMARK", bookmark(false));
    }
    out.flush();
  }

  private ObjectNode bookmark(boolean initialEnd) {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("kind", selection.kind().kind().kind());
    node.put("apiVersion", selection.kind().apiVersion());
    ObjectNode metadata = node.putObject("metadata");
    metadata.put("resourceVersion", lastVersion);
    metadata.putNull("creationTimestamp");
    if (initialEnd) {
      metadata.putObject("annotations").put("k8s.io/initial-events-end", "true");
    }
    return node;
  }

  private void writeFailure(OutputStream out, StorageException cause) throws IOException {
    write(out, "ERROR", ApiStatus.of(cause).tree());
    out.flush();
  }

  private static void write(OutputStream out, String type, ObjectNode object) throws IOException {
    ObjectNode event = JsonNodeFactory.instance.objectNode();
    event.put("type", type);
    event.set("object", object);
    out.write((event + "\n").getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public void close() {
    Optional<Watch> running;
    lock.lock();
    try {
      closed = true;
      running = watch;
      watch = Optional.empty();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    running.ifPresent(Watch::close);
  }
}
