package dev.holdfast.engine.spdk.internal.calls;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.error.StorageException;
import java.time.Duration;

/** Calls of an SPDK target: of this node, or of the node of a replica. Thread-safe. */
public abstract class TargetCalls {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /**
   * Calls a method. All other calls pass this one.
   *
   * @param params its parameters, without members for none
   * @param patience the longest time until the answer
   * @return the result
   * @throws StorageException with the code that fits a refusal; UNREACHABLE when the target does
   *     not run, or its answer was lost; TIMEOUT
   */
  public abstract JsonNode call(String method, ObjectNode params, Duration patience)
      throws StorageException;

  /**
   * As {@link #call(String, ObjectNode, Duration)}, with the usual limit of time.
   *
   * @param params its parameters, without members for none
   */
  public final JsonNode call(String method, ObjectNode params) throws StorageException {
    return call(method, params, PATIENCE);
  }

  /**
   * Calls a method that has no result.
   *
   * @param params its parameters, without members for none
   * @throws StorageException as {@link #call(String, ObjectNode, Duration)}
   */
  public final void run(String method, ObjectNode params) throws StorageException {
    JsonNode unused = call(method, params);
  }
}
