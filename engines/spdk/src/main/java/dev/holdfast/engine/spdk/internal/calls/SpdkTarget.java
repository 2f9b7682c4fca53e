package dev.holdfast.engine.spdk.internal.calls;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
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
    }
    return client.get();
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

  @Override
  public final synchronized void close() {
    client.ifPresent(JsonRpcClient::close);
    client = Optional.empty();
  }
}
