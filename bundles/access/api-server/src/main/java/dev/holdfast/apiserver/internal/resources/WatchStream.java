package dev.holdfast.apiserver.internal.resources;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.apiserver.internal.http.ApiResponse;
import dev.holdfast.apiserver.internal.http.ApiStatus;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.http.PieceSource;
import dev.holdfast.resource.Resource;
import dev.holdfast.store.ResourceList;
import dev.holdfast.store.Watch;
import dev.holdfast.store.WatchEvent;
import dev.holdfast.store.WatchListener;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A watch of a client. The store's thread adds changes to a bounded backlog, and the server removes
 * them as fast as the client reads. When the backlog is full, the client receives the waiting
 * changes and then an error with code 410, and the store continues without the watch.
 */
final class WatchStream<R extends Resource<R>> implements WatchListener<R>, PieceSource {
  private static final char HEARTBEAT = ' ';
  private static final int PIECE = 32 << 10;

  private final Selection<R> selection;
  private final View<R> view;
  private final WatchSettings settings;
  private final Options options;

  private final ReentrantLock lock = new ReentrantLock();
  private final Deque<WatchEvent<R>> backlog = new ArrayDeque<>();
  private Optional<StorageException> failure = Optional.empty();
  private Optional<Watch> watch = Optional.empty();
  private boolean closed;
  private Runnable wake = () -> {};

  // The following fields are used by one thread at a time.
  private final Deque<R> initial = new ArrayDeque<>();
  private final SeenResources<R> seen;
  private boolean marksInitialEnd;
  private String lastVersion;
  private long end;
  private long quietSince;

  /**
   * Options of the client.
   *
   * @param bookmarks whether the client supports bookmarks
   * @param markInitialEnd whether it waits for the bookmark that ends the initial events
   * @param timeoutSeconds duration of the watch, 0 for the default
   * @param id id of the watch within a shared stream; empty for a separate stream
   */
  record Options(
      boolean bookmarks, boolean markInitialEnd, long timeoutSeconds, Optional<String> id) {}

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
    this.marksInitialEnd = options.markInitialEnd();
    this.lastVersion = resourceVersion;
  }

  /** Starts with the present resources. Call it before {@link #attach}. */
  void startAfter(ResourceList<R> present, boolean send) {
    lastVersion = present.resourceVersion();
    seen.learnAll(present);
    for (R resource : present.items()) {
      if (send && selection.matches(resource)) {
        initial.add(resource);
      }
    }
  }

  /** Records the resources that the client has. Call it before {@link #attach}. */
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
    } finally {
      lock.unlock();
    }
    wake();
  }

  private void wake() {
    Runnable waker;
    lock.lock();
    try {
      waker = wake;
    } finally {
      lock.unlock();
    }
    waker.run();
  }

  @Override
  public void ended(StorageException cause) {
    lock.lock();
    try {
      if (failure.isEmpty()) {
        failure = Optional.of(cause);
      }
    } finally {
      lock.unlock();
    }
    wake();
  }

  @Override
  public void open(Runnable waker) {
    long seconds = options.timeoutSeconds();
    Duration lifetime = seconds > 0 ? Duration.ofSeconds(seconds) : settings.lifetime();
    quietSince = System.nanoTime();
    end = quietSince + lifetime.toNanos();
    lock.lock();
    try {
      wake = waker;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public Piece next() {
    StringBuilder out = new StringBuilder();
    writeInitial(out);
    boolean all = initial.isEmpty() && writeChanges(out);
    if (!all) {
      return piece(out);
    }
    Optional<StorageException> cause;
    boolean over;
    lock.lock();
    try {
      if (!backlog.isEmpty()) {
        // The change arrived just now.
        return piece(out);
      }
      cause = failure;
      over = closed;
    } finally {
      lock.unlock();
    }
    long now = System.nanoTime();
    if (cause.isPresent()) {
      write(out, "ERROR", ApiStatus.of(cause.get()).tree());
      return Piece.last(ApiResponse.bytes(out.toString()));
    } else if (over || now - end >= 0) {
      writeEnd(out);
      return Piece.last(ApiResponse.bytes(out.toString()));
    } else if (out.length() > 0) {
      return piece(out);
    } else if (now - quietSince >= settings.heartbeat().toNanos()) {
      heartbeat(out);
      return piece(out);
    }
    long quiet = quietSince + settings.heartbeat().toNanos() - now;
    return Piece.none(Duration.ofNanos(Math.min(quiet, end - now)));
  }

  private Piece piece(StringBuilder out) {
    quietSince = System.nanoTime();
    return Piece.of(ApiResponse.bytes(out.toString()));
  }

  private void writeInitial(StringBuilder out) {
    while (!initial.isEmpty() && out.length() < PIECE) {
      write(out, "ADDED", view.one(initial.remove()));
    }
    if (initial.isEmpty() && marksInitialEnd) {
      marksInitialEnd = false;
      write(out, "BOOKMARK", bookmark(true));
    }
  }

  /** Writes waiting changes. Returns false if more may wait. */
  private boolean writeChanges(StringBuilder out) {
    for (Optional<WatchEvent<R>> event = poll(); event.isPresent(); event = poll()) {
      writeEvent(out, event.get());
      if (out.length() >= PIECE) {
        return false;
      }
    }
    return true;
  }

  private Optional<WatchEvent<R>> poll() {
    lock.lock();
    try {
      return Optional.ofNullable(backlog.poll());
    } finally {
      lock.unlock();
    }
  }

  private void writeEvent(StringBuilder out, WatchEvent<R> event) {
    R resource = event.resource();
    lastVersion = resource.metadata().resourceVersion();
    Optional<WatchEvent.Type> type = seen.typeOf(event);
    if (type.isPresent()) {
      write(out, type.get().name(), view.one(resource));
    }
  }

  private void heartbeat(StringBuilder out) {
    if (options.bookmarks()) {
      writeBookmark(out);
    } else {
      // Adds white space before the next document, which JSON parsers ignore but which detects a
      // closed socket.
      out.append(HEARTBEAT);
    }
  }

  /**
   * Writes the version at which the watch ended, because the end of one watch does not end a shared
   * stream.
   */
  private void writeEnd(StringBuilder out) {
    if (options.id().isPresent()) {
      write(out, "END", bookmark(false));
    } else {
      writeBookmark(out);
    }
  }

  private void writeBookmark(StringBuilder out) {
    if (options.bookmarks()) {
      write(out, "BOOKMARK", bookmark(false));
    }
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

  private void write(StringBuilder out, String type, ObjectNode object) {
    ObjectNode event = JsonNodeFactory.instance.objectNode();
    options.id().ifPresent(id -> event.put("id", id));
    event.put("type", type);
    event.set("object", object);
    out.append(event).append('\n');
  }

  @Override
  public void close() {
    Optional<Watch> running;
    lock.lock();
    try {
      closed = true;
      running = watch;
      watch = Optional.empty();
    } finally {
      lock.unlock();
    }
    running.ifPresent(Watch::close);
  }
}
