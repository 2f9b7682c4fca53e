package dev.holdfast.apiserver.internal.http;

import dev.holdfast.access.ExtensionResponse;
import dev.holdfast.error.StorageException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Map;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One request whose bodies are streams. The client's time runs only while its bytes are awaited, so
 * that an upload may last as long as it moves.
 */
final class StreamedExchange implements ExtensionResponse {
  private static final Logger LOG = LoggerFactory.getLogger(StreamedExchange.class);

  private static final String CACHE_CONTROL = "Cache-Control";

  private final HttpExchange exchange;
  private final Semaphore streams;
  private boolean begun;

  StreamedExchange(HttpExchange exchange, Semaphore streams) {
    this.exchange = exchange;
    this.streams = streams;
  }

  void run(ApiHandler.StreamedCall call) throws IOException {
    if (!streams.tryAcquire()) {
      refuse(
          ApiStatus.failure(
              429, "TooManyRequests", "too many streams are open: try again after some ended"));
      return;
    }
    try {
      call.run(new AwaitedBody(exchange), this);
    } catch (StorageException e) {
      refuse(ApiStatus.of(e));
    } catch (RuntimeException e) {
      LOG.error("{} {} failed", exchange.method(), exchange.target().getPath(), e);
      refuse(
          ApiStatus.failure(
              500, "InternalError", "an error of the server's own; its log has the details"));
    } finally {
      streams.release();
    }
  }

  /** A client to which a body was promised sees that it is cut off. */
  private void refuse(ApiStatus status) throws IOException {
    exchange.closeAfterwards();
    if (begun) {
      throw new IOException("the answer is cut off: " + status.message());
    }
    begun = true;
    if (status.response() instanceof ApiResponse.Content content) {
      HttpListener.write(exchange, content);
    }
  }

  @Override
  public OutputStream begin(int code, String contentType, long length, Map<String, String> headers)
      throws IOException {
    begun = true;
    exchange.addHeader("Content-Type", contentType);
    if (!headers.containsKey(CACHE_CONTROL)) {
      exchange.addHeader(CACHE_CONTROL, "no-cache, private");
    }
    headers.forEach(exchange::addHeader);
    return length < 0 ? exchange.beginStream(code) : exchange.begin(code, length);
  }

  /** The body; each read waits for the client for the time of a request at most. */
  private static final class AwaitedBody extends FilterInputStream {
    private final HttpExchange exchange;

    AwaitedBody(HttpExchange exchange) {
      super(exchange.body());
      this.exchange = exchange;
      exchange.received();
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      exchange.awaitRest();
      try {
        return in.read(target, offset, length);
      } finally {
        exchange.received();
      }
    }

    @Override
    public void close() {
      // The connection may serve another request.
    }
  }
}
