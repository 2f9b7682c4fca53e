package dev.holdfast.apiserver.internal;

import dev.holdfast.access.ExtensionResponse;
import dev.holdfast.apiserver.internal.http.ApiHandler;
import dev.holdfast.apiserver.internal.http.ApiResponse;
import dev.holdfast.http.PieceSource;
import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The open streams with the rights on which they depend. Each second a thread ends the streams
 * whose caller lost its right, because its token was removed or expired, or its role no longer
 * permits the stream. Thread-safe.
 */
final class OpenStreams implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(OpenStreams.class);
  private static final long PERIOD_SECONDS = 1;

  private final Set<Open> open = ConcurrentHashMap.newKeySet();
  private final ScheduledThreadPoolExecutor sweeper;
  private boolean sweeping;

  OpenStreams() {
    sweeper =
        new ScheduledThreadPoolExecutor(
            1,
            work -> {
              Thread thread = new Thread(work, "holdfast-api-rights");
              thread.setDaemon(true);
              return thread;
            });
  }

  /** An open stream. */
  private abstract static class Open {
    private final BooleanSupplier allowed;

    Open(BooleanSupplier allowed) {
      this.allowed = allowed;
    }

    abstract void end();
  }

  /** Returns a stream that ends when its caller loses the right. */
  ApiResponse.Streaming bound(ApiResponse.Streaming streaming, BooleanSupplier allowed) {
    return new ApiResponse.Streaming(streaming.contentType(), bound(streaming.source(), allowed));
  }

  /** Returns a source that ends when its caller loses the right. */
  PieceSource bound(PieceSource source, BooleanSupplier allowed) {
    BoundSource bound = new BoundSource(source, allowed);
    add(bound);
    return bound;
  }

  /** Returns a call that fails when its caller loses the right. */
  ApiHandler.StreamedCall bound(ApiHandler.StreamedCall call, BooleanSupplier allowed) {
    return (body, response) -> {
      BoundCall running = new BoundCall(allowed);
      add(running);
      try {
        call.run(running.body(body), running.response(response));
      } finally {
        open.remove(running);
      }
    };
  }

  private void add(Open stream) {
    open.add(stream);
    synchronized (this) {
      if (!sweeping && !sweeper.isShutdown()) {
        sweeping = true;
        Future<?> unused =
            sweeper.scheduleWithFixedDelay(
                this::sweep, PERIOD_SECONDS, PERIOD_SECONDS, TimeUnit.SECONDS);
      }
    }
  }

  /** Ends the streams whose callers lost the right. */
  void sweep() {
    for (Open stream : open) {
      try {
        if (!stream.allowed.getAsBoolean()) {
          stream.end();
        }
      } catch (RuntimeException e) {
        // The check of the other streams continues.
        LOG.error("could not check the right to a stream, ending it", e);
        stream.end();
      }
    }
  }

  @Override
  public void close() {
    sweeper.shutdownNow();
  }

  /** An answer that the server reads piece by piece. */
  private final class BoundSource extends Open implements PieceSource {
    private final PieceSource source;
    private volatile Runnable wake = () -> {};
    private volatile boolean ended;

    BoundSource(PieceSource source, BooleanSupplier allowed) {
      super(allowed);
      this.source = source;
    }

    @Override
    public void open(Runnable waker) {
      wake = waker;
      source.open(waker);
    }

    @Override
    public Piece next() {
      return ended ? Piece.last(ByteBuffer.allocate(0)) : source.next();
    }

    @Override
    void end() {
      ended = true;
      open.remove(this);
      wake.run();
    }

    @Override
    public void close() {
      open.remove(this);
      source.close();
    }
  }

  /** A call of another bundle, whose next read or write fails after the end. */
  private static final class BoundCall extends Open {
    private volatile boolean ended;

    BoundCall(BooleanSupplier allowed) {
      super(allowed);
    }

    @Override
    void end() {
      ended = true;
    }

    private void requireRight() throws IOException {
      if (ended) {
        throw new IOException("the right to this request was withdrawn");
      }
    }

    InputStream body(InputStream body) {
      return new FilterInputStream(body) {
        @Override
        public int read() throws IOException {
          requireRight();
          return in.read();
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
          requireRight();
          return in.read(target, offset, length);
        }
      };
    }

    ExtensionResponse response(ExtensionResponse response) {
      return new ExtensionResponse() {
        @Override
        public OutputStream begin(
            int code, String contentType, long length, Map<String, String> headers)
            throws IOException {
          requireRight();
          return bytes(response.begin(code, contentType, length, headers));
        }
      };
    }

    private OutputStream bytes(OutputStream bytes) {
      return new FilterOutputStream(bytes) {
        @Override
        public void write(int value) throws IOException {
          requireRight();
          out.write(value);
        }

        @Override
        public void write(byte[] source, int offset, int length) throws IOException {
          requireRight();
          out.write(source, offset, length);
        }
      };
    }
  }
}
