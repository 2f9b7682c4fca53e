package dev.holdfast.engine.spdk.simulator.internal.rpc;

import com.fasterxml.jackson.databind.JsonNode;

/** The work of one method. */
@FunctionalInterface
public interface RpcCall {
  /** Returns the result. */
  JsonNode run(Params params) throws RpcError;
}
