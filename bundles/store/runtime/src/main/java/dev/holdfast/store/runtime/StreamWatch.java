package dev.holdfast.store.runtime;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.json.ResourceJson;
import dev.holdfast.resource.json.StatusErrors;
import dev.holdfast.store.Watch;
import dev.holdfast.store.WatchEvent;
import dev.holdfast.store.WatchListener;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One watch over a stream of Kubernetes' watch events, which a separate thread reads. When the
 * server ends the stream, the watch continues from the last version. When the server is
 * unreachable, or silent for longer than its heartbeats or bookmarks allow, the watch ends.
 */
public final class StreamWatch<R extends Resource<R>> implements Watch {
  private static final Logger LOG = LoggerFactory.getLogger(StreamWatch.class);
  private static final String BOOKMARK = "BOOKMARK";
  private static final String ERROR = "ERROR";

  /** Source of the events. Thread-safe. */
  public interface Source<R extends Resource<R>> {
    /** Returns the kind of the resources, never null. */
    ResourceKind<R> kind();

    /**
     * Opens the stream of the changes after a version; the server has accepted it at the return.
     *
     * @throws StorageException as {@link dev.holdfast.store.ResourceStore#watch}
     */
    InputStream open(String resourceVersion) throws StorageException;

    /**
     * Decodes the object of an event.
     *
     * @throws StorageException INVALID when it is not of the kind
     */
    R decode(JsonNode object) throws StorageException;

    /** Returns the error of a broken stream, never null. */
    StorageException failure(IOException e);
  }

  private final Source<R> source;
  private final ResourceJson json;
  private final WatchListener<R> listener;
  private final ScheduledExecutorService watchdog;
  private final Duration silenceLimit;

  /** Held while the listener is called, so that close waits for the call. */
  private final ReentrantLock calling = new ReentrantLock();

  private volatile boolean closed;
  private volatile InputStream stream;
  private volatile long lastHeard = System.nanoTime();
  private String version;

  private StreamWatch(
      Source<R> source,
      ResourceJson json,
      String version,
      WatchListener<R> listener,
      ScheduledExecutorService watchdog,
      Duration silenceLimit)
      throws StorageException {
    this.source = source;
    this.json = json;
    this.listener = listener;
    this.watchdog = watchdog;
    this.silenceLimit = silenceLimit;
    this.version = version;
    this.stream = source.open(version);
  }

  /**
   * Starts a watch.
   *
   * @param source source of the events
   * @param json decoder of the events
   * @param version version after which the events begin
   * @param listener receiver of the events
   * @param watchdog looks whether the server is silent
   * @param silenceLimit after which a silent server counts as gone
   * @throws StorageException as {@link dev.holdfast.store.ResourceStore#watch}
   */
  public static <R extends Resource<R>> StreamWatch<R> start(
      Source<R> source,
      ResourceJson json,
      String version,
      WatchListener<R> listener,
      ScheduledExecutorService watchdog,
      Duration silenceLimit)
      throws StorageException {
    StreamWatch<R> watch =
        new StreamWatch<>(source, json, version, listener, watchdog, silenceLimit);
    Thread thread = new Thread(watch::run, "store-watch-" + source.kind().plural());
    thread.setDaemon(true);
    thread.start();
    return watch;
  }

  private void run() {
    ScheduledFuture<?> guard =
        watchdog.scheduleWithFixedDelay(this::breakIfSilent, 10, 10, TimeUnit.SECONDS);
    try {
      while (!closed) {
        read(stream);
        if (!closed) {
          LOG.debug(
              "The server ended a watch of {}; continuing from {}",
              source.kind().plural(),
              version);
          reopen();
        }
      }
    } catch (StorageException e) {
      end(e);
    } catch (IOException e) {
      end(source.failure(e));
    } catch (RuntimeException e) {
      end(
          new StorageException(
              ErrorCode.INTERNAL,
              "a watch of " + source.kind().plural() + " failed: " + e.getMessage(),
              e));
    } finally {
      guard.cancel(false);
      closeQuietly(stream);
    }
  }

  private void reopen() throws StorageException {
    InputStream next = source.open(version);
    lastHeard = System.nanoTime();
    stream = next;
    if (closed) {
      closeQuietly(next);
    }
  }

  private void breakIfSilent() {
    if (System.nanoTime() - lastHeard > silenceLimit.toNanos()) {
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
      throw StatusErrors.of(source.kind(), object, object.path("code").asInt());
    } else if (type.equals(BOOKMARK)) {
      version = object.path("metadata").path("resourceVersion").asText();
      return;
    }
    R resource = source.decode(object);
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

  /** Records the time of the server's last message. */
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
