package dev.holdfast.store.remote.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.json.ResourceJson;
import dev.holdfast.store.Watch;
import dev.holdfast.store.WatchEvent;
import dev.holdfast.store.WatchListener;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One watch: a thread of its own reads the stream. When the server ends the stream, the watch goes
 * on from the last version that it saw; when the server is gone, or silent for longer than its
 * heartbeats allow, the watch ends.
 */
public final class RemoteWatch<R extends Resource<R>> implements Watch {
  private static final Logger LOG = LoggerFactory.getLogger(RemoteWatch.class);
  private static final long SILENCE_LIMIT_SECONDS = 100;
  private static final String BOOKMARK = "BOOKMARK";
  private static final String ERROR = "ERROR";

  private final RestClient client;
  private final ResourceJson json;
  private final ResourceKind<R> kind;
  private final WatchListener<R> listener;
  private final ScheduledExecutorService watchdog;

  /** Held while the listener is called, so that close waits for it. */
  private final ReentrantLock calling = new ReentrantLock();

  private volatile boolean closed;
  private volatile InputStream stream;
  private volatile long lastHeard = System.nanoTime();
  private String version;

  private RemoteWatch(
      RestClient client,
      ResourceJson json,
      ResourceKind<R> kind,
      String version,
      WatchListener<R> listener,
      ScheduledExecutorService watchdog)
      throws StorageException {
    this.client = client;
    this.json = json;
    this.kind = kind;
    this.listener = listener;
    this.watchdog = watchdog;
    this.version = version;
    this.stream = open();
  }

  /** Starts a watch; the server has accepted it when this returns. */
  public static <R extends Resource<R>> RemoteWatch<R> start(
      RestClient client,
      ResourceJson json,
      ResourceKind<R> kind,
      String version,
      WatchListener<R> listener,
      ScheduledExecutorService watchdog)
      throws StorageException {
    RemoteWatch<R> watch = new RemoteWatch<>(client, json, kind, version, listener, watchdog);
    Thread thread = new Thread(watch::run, "store-remote-watch-" + kind.plural());
    thread.setDaemon(true);
    thread.start();
    return watch;
  }

  private InputStream open() throws StorageException {
    String query =
        "?watch=true&allowWatchBookmarks=true&sendInitialEvents=false&resourceVersion="
            + RestClient.encoded(version);
    return client.open(kind, RestClient.path(kind) + query);
  }

  private void run() {
    ScheduledFuture<?> guard =
        watchdog.scheduleWithFixedDelay(this::breakIfSilent, 10, 10, TimeUnit.SECONDS);
    try {
      while (!closed) {
        read(stream);
        if (!closed) {
          LOG.debug("The server ended a watch of {}; going on from {}", kind.plural(), version);
          reopen();
        }
      }
    } catch (StorageException e) {
      end(e);
    } catch (IOException e) {
      end(client.failure(e));
    } catch (RuntimeException e) {
      end(
          new StorageException(
              ErrorCode.INTERNAL, "a watch of " + kind.plural() + " failed: " + e.getMessage(), e));
    } finally {
      guard.cancel(false);
      closeQuietly(stream);
    }
  }

  private void reopen() throws StorageException {
    InputStream next = open();
    lastHeard = System.nanoTime();
    stream = next;
    if (closed) {
      closeQuietly(next);
    }
  }

  private void breakIfSilent() {
    if (System.nanoTime() - lastHeard > TimeUnit.SECONDS.toNanos(SILENCE_LIMIT_SECONDS)) {
      closeQuietly(stream);
    }
  }

  /** Reads until the server ends the stream. */
  private void read(InputStream in) throws IOException, StorageException {
    try (MappingIterator<JsonNode> events =
        json.mapper().readerFor(JsonNode.class).readValues(new Heard(in))) {
      while (!closed && events.hasNextValue()) {
        take(events.nextValue());
      }
    }
  }

  private void take(JsonNode event) throws StorageException {
    String type = event.path("type").asText();
    JsonNode object = event.path("object");
    if (type.equals(ERROR)) {
      throw StatusErrors.of(kind, object, object.path("code").asInt());
    } else if (type.equals(BOOKMARK)) {
      version = object.path("metadata").path("resourceVersion").asText();
      return;
    }
    R resource = json.decode(kind, object, ResourceJson.Mode.LENIENT);
    tell(new WatchEvent<>(WatchEvent.Type.valueOf(type), resource));
    version = resource.metadata().resourceVersion();
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

  private void end(StorageException cause) {
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
      closeQuietly(stream);
    } finally {
      calling.unlock();
    }
  }

  private static void closeQuietly(InputStream in) {
    try {
      Optional.ofNullable(in).orElse(InputStream.nullInputStream()).close();
    } catch (IOException e) {
      LOG.debug("A watch's stream was broken already", e);
    }
  }

  /** Notes when the server was last heard of. */
  private final class Heard extends FilterInputStream {
    Heard(InputStream in) {
      super(in);
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
      int count = super.read(buffer, offset, length);
      lastHeard = System.nanoTime();
      return count;
    }
  }
}
