package dev.holdfast.engine.spdk.internal.calls;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.jsonrpc.JsonRpcClient;
import dev.holdfast.jsonrpc.JsonRpcException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * The SPDK target of this node. Connects at the first call, and again at the call after a lost
 * connection; a call whose outcome is not known is not repeated. Thread-safe.
 */
public class SpdkTarget extends TargetCalls implements AutoCloseable {
  private final Path socket;
  private Optional<JsonRpcClient> client = Optional.empty();
  private long connections;

  /**
   * Creates a target without a connection.
   *
   * @param socket where it listens for calls, not null
   */
  public SpdkTarget(Path socket) {
    this.socket = socket;
  }

  /** Returns parameters to be filled. */
  public static ObjectNode params() {
    return JsonNodeFactory.instance.objectNode();
  }

  private synchronized JsonRpcClient connected() throws StorageException {
    if (client.filter(JsonRpcClient::isOpen).isEmpty()) {
      client.ifPresent(JsonRpcClient::close);
      client = Optional.empty();
      client = Optional.of(JsonRpcClient.connect("SPDK target " + socket, socket));
      connections++;
    }
    return client.get();
  }

  /**
   * Returns how often this has connected. A higher number than before may be another process, which
   * has lost what the earlier one had in memory.
   */
  public final synchronized long connections() {
    return connections;
  }

  /**
   * Waits for a target that is being started. Returns at once when nothing is known to be started.
   *
   * @param patience the longest time; when it is over this returns all the same
   */
  public void awaitReady(Duration patience) {}

  /** Returns whether its process should be replaced by {@link #replace}. Does not wait. */
  public boolean isOutdated() {
    return false;
  }

  /**
   * Ends its process and starts another one, which has lost what was in memory. When that one does
   * not start, the earlier program is started again.
   *
   * @throws StorageException UNSUPPORTED when nothing was changed; IO when the earlier program was
   *     started again; as a process that cannot be ended or started
   */
  public void replace() throws StorageException {
    throw new StorageException(
        ErrorCode.UNSUPPORTED, "SPDK target: another program runs it: replace it there");
  }

  @Override
  public JsonNode call(String method, ObjectNode params, Duration patience)
      throws StorageException {
    try {
      return connected()
          .call(method, params.isEmpty() ? MissingNode.getInstance() : params, patience);
    } catch (JsonRpcException e) {
      throw new StorageException(TargetErrors.code(e), e.getMessage(), e);
    }
  }

  private synchronized void disconnect() {
    client.ifPresent(JsonRpcClient::close);
    client = Optional.empty();
  }

  @Override
  public void close() {
    disconnect();
  }
}
