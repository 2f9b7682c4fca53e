package dev.holdfast.jsonrpc;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * One connection to a JSON-RPC 2.0 server on a UNIX socket of this machine. The peer is untrusted:
 * sizes, nesting and times are limited, and a message that violates the protocol ends the
 * connection. An ended connection cannot be reopened; create another one.
 *
 * <p>Thread-safe. Calls of several threads are in flight concurrently, and their responses may
 * arrive in any order. One daemon thread does all input and output.
 */
public final class JsonRpcClient implements AutoCloseable {
  /** {@code sun_path} of Linux without its last byte. */
  private static final int LONGEST_PATH = 107;

  private final String name;
  private final JsonRpcLimits limits;
  private final MessageFormat format;
  private final Connection connection;
  private final Semaphore places;
  private final AtomicLong lastId;

  private JsonRpcClient(
      String name,
      JsonRpcLimits limits,
      MessageFormat format,
      Connection connection,
      AtomicLong lastId) {
    this.name = name;
    this.limits = limits;
    this.format = format;
    this.connection = connection;
    this.lastId = lastId;
    this.places = new Semaphore(limits.calls());
  }

  /**
   * Connects with {@link JsonRpcLimits#DEFAULT}, and ignores notifications.
   *
   * @param name name of the peer for messages, for example {@code SPDK target t1}, not null
   * @param socket path at which the peer listens, not null
   * @return the connection, never null; the caller closes it
   * @throws StorageException as {@link #connect(String, Path, JsonRpcLimits, Consumer)}
   */
  public static JsonRpcClient connect(String name, Path socket) throws StorageException {
    return connect(name, socket, JsonRpcLimits.DEFAULT, ignored -> {});
  }

  /**
   * Connects.
   *
   * @param name name of the peer for messages, not null
   * @param socket path at which the peer listens, not null
   * @param limits of this connection, not null
   * @param listener receives notifications on the connection's thread, so it must not block; its
   *     exception ends the connection; not null
   * @return the connection, never null; the caller closes it
   * @throws StorageException INVALID when the path is too long for a UNIX socket; UNREACHABLE when
   *     nothing listens there, or when the peer accepts no further connection now
   */
  public static JsonRpcClient connect(
      String name, Path socket, JsonRpcLimits limits, Consumer<JsonRpcNotification> listener)
      throws StorageException {
    if (socket.toString().getBytes(StandardCharsets.UTF_8).length > LONGEST_PATH) {
      throw new StorageException(
          ErrorCode.INVALID,
          name + ": socket " + socket + ": longer than 107 bytes: use a shorter path");
    }
    MessageFormat format = new MessageFormat(limits);
    AtomicLong lastId = new AtomicLong();
    try {
      Connection connection =
          Connection.start(name, open(socket), limits, format, lastId, listener);
      return new JsonRpcClient(name, limits, format, connection, lastId);
    } catch (IOException e) {
      throw new StorageException(
          ErrorCode.UNREACHABLE,
          name + ": socket " + socket + ": " + e.getMessage() + ": check that the peer runs",
          e);
    }
  }

  /** A UNIX socket connects immediately or fails, even when the peer's queue is full. */
  private static SocketChannel open(Path socket) throws IOException {
    SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
    try {
      channel.configureBlocking(false);
      if (!channel.connect(UnixDomainSocketAddress.of(socket))) {
        throw new IOException("accepts no further connection now");
      }
      return channel;
    } catch (IOException e) {
      channel.close();
      throw e;
    }
  }

  /**
   * Calls a method and waits for the response.
   *
   * @param method its name, not null
   * @param params an object or array, or a missing node for none, not null
   * @param patience maximum time until the response, not null
   * @return the result, never null
   * @throws StorageException as the future of {@link #send} fails; TIMEOUT also when the thread is
   *     interrupted, which cancels the call
   */
  public JsonNode call(String method, JsonNode params, Duration patience) throws StorageException {
    CompletableFuture<JsonNode> answer = send(method, params, patience);
    try {
      return answer.get();
    } catch (InterruptedException e) {
      answer.cancel(false);
      Thread.currentThread().interrupt();
      throw new StorageException(ErrorCode.TIMEOUT, subject(method) + ": interrupted", e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof StorageException refused) {
        throw refused;
      }
      throw new StorageException(ErrorCode.INTERNAL, subject(method) + ": " + e.getCause(), e);
    }
  }

  /**
   * As {@link #call(String, JsonNode, Duration)}, without parameters.
   *
   * @param method its name, not null
   * @param patience maximum time until the response, not null
   * @return the result, never null
   * @throws StorageException as there
   */
  public JsonNode call(String method, Duration patience) throws StorageException {
    return call(method, MissingNode.getInstance(), patience);
  }

  /**
   * Sends a call. Cancelling the future withdraws a request that was not sent yet; the response to
   * a sent request is ignored. The future completes on the connection's thread.
   *
   * @param method its name, not null
   * @param params an object or array, or a missing node for none, not null
   * @param patience maximum time until the response, not null
   * @return the result, never null. Fails with {@link JsonRpcException} when the peer refuses;
   *     INVALID when the parameters have a wrong type, or the request is too large; BUSY when too
   *     many calls wait for responses; TIMEOUT; UNREACHABLE when the connection ended. After the
   *     last two it is unknown whether the call took effect.
   */
  public CompletableFuture<JsonNode> send(String method, JsonNode params, Duration patience) {
    if (!params.isContainerNode() && !params.isMissingNode()) {
      return refused(method, ErrorCode.INVALID, "params: must be an object or an array");
    }
    if (!places.tryAcquire()) {
      return refused(
          method,
          ErrorCode.BUSY,
          limits.calls() + " calls wait for answers already: try again after one of them");
    }
    long id = lastId.incrementAndGet();
    byte[] request = format.request(id, method, params);
    if (request.length > limits.requestBytes()) {
      places.release();
      return refused(
          method,
          ErrorCode.INVALID,
          "request has " + request.length + " bytes, limit is " + limits.requestBytes());
    }
    PendingCall call = new PendingCall(subject(method), request, patience);
    var unused =
        call.answer()
            .whenComplete(
                (result, failure) -> {
                  connection.forget(id, call);
                  places.release();
                });
    connection.submit(id, call);
    return call.answer();
  }

  private CompletableFuture<JsonNode> refused(String method, ErrorCode code, String problem) {
    return CompletableFuture.failedFuture(
        new StorageException(code, subject(method) + ": " + problem));
  }

  private String subject(String method) {
    return name + ": " + method;
  }

  /** Returns whether calls are possible. */
  public boolean isOpen() {
    return connection.isOpen();
  }

  /** Ends the connection. Unanswered calls fail with UNREACHABLE. Idempotent. */
  @Override
  public void close() {
    connection.close();
  }
}
