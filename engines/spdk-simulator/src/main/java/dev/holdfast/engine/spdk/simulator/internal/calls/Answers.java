package dev.holdfast.engine.spdk.simulator.internal.calls;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.holdfast.engine.spdk.simulator.internal.rpc.ErrnoException;
import dev.holdfast.engine.spdk.simulator.internal.rpc.RpcError;

/** Results that many methods have. */
final class Answers {
  static final JsonNode TRUE = BooleanNode.TRUE;

  private Answers() {}

  static JsonNode text(String text) {
    return TextNode.valueOf(text);
  }

  static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }

  /** An operation with a result. */
  interface Operation<T> {
    T run() throws ErrnoException;
  }

  /** An operation without a result. */
  interface Change {
    void run() throws ErrnoException;
  }

  /** Runs an operation whose failure has the negative error number as code. */
  static <T> T now(Operation<T> operation) throws RpcError {
    try {
      return operation.run();
    } catch (ErrnoException e) {
      throw RpcError.of(e.errno());
    }
  }

  /** As {@link #now}, with the result true. */
  static JsonNode done(Change change) throws RpcError {
    return now(
        () -> {
          change.run();
          return TRUE;
        });
  }

  /** Runs an operation that SPDK completes later: the code of a failure is -32602. */
  static <T> T later(Operation<T> operation) throws RpcError {
    try {
      return operation.run();
    } catch (ErrnoException e) {
      throw RpcError.later(e);
    }
  }

  /** As {@link #later}, with the result true. */
  static JsonNode doneLater(Change change) throws RpcError {
    return later(
        () -> {
          change.run();
          return TRUE;
        });
  }

  /** Runs a change that nvmf calls refuse in one way, whatever failed. */
  static JsonNode doneOr(RpcError refusal, Change change) throws RpcError {
    try {
      change.run();
      return TRUE;
    } catch (ErrnoException e) {
      throw refusal;
    }
  }
}
