package dev.holdfast.jsonrpc;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Objects;

/**
 * A message from the peer without a call (JSON-RPC 2.0 section 4.1).
 *
 * @param method its name, not null
 * @param params its parameters, a missing node when it has none, not null
 */
public record JsonRpcNotification(String method, JsonNode params) {
  /** Checks that all parts are present. */
  public JsonRpcNotification {
    Objects.requireNonNull(method, "method");
    Objects.requireNonNull(params, "params");
  }
}
