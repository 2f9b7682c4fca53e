package dev.holdfast.engine.spdk.simulator.kit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.jsonrpc.JsonRpcException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/**
 * Appends calls and their answers to a transcript, in the format that {@code TranscriptTest}
 * replays: a line for each answered call, in the order of the answers, and for each start and kill.
 * The environment variable {@code HOLDFAST_SPDK_RECORD} names the file; without it nothing is
 * written. Thread-safe.
 */
final class CallRecorder {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Optional<Path> file;
  private long lastId;

  /**
   * Creates a recorder.
   *
   * @param file to append to, empty for none
   */
  CallRecorder(Optional<Path> file) {
    this.file = file;
  }

  static CallRecorder ofEnvironment() {
    return new CallRecorder(
        Optional.ofNullable(System.getenv("HOLDFAST_SPDK_RECORD")).map(Path::of));
  }

  /** Writes what happened to a target between two calls: {@code start} or {@code kill -9}. */
  void event(String target, String event) throws IOException {
    append(JSON.createObjectNode().put("target", target).put("event", event));
  }

  /** Writes a call with its result. */
  void answered(String target, String method, JsonNode params, JsonNode result) throws IOException {
    ObjectNode response = JSON.createObjectNode();
    response.set("result", result);
    call(target, method, params, response);
  }

  /** Writes a call that the target refused. */
  void refused(String target, String method, JsonNode params, JsonRpcException refusal)
      throws IOException {
    ObjectNode response = JSON.createObjectNode();
    response.putObject("error").put("code", refusal.rpcCode()).put("message", refusal.rpcMessage());
    call(target, method, params, response);
  }

  private synchronized void call(String target, String method, JsonNode params, ObjectNode outcome)
      throws IOException {
    long id = ++lastId;
    ObjectNode line = JSON.createObjectNode().put("target", target);
    ObjectNode request = line.putObject("request");
    request.put("jsonrpc", "2.0").put("method", method).put("id", id);
    if (!params.isMissingNode()) {
      request.set("params", params);
    }
    ObjectNode response = line.putObject("response");
    response.put("jsonrpc", "2.0").put("id", id).setAll(outcome);
    append(line);
  }

  private synchronized void append(ObjectNode line) throws IOException {
    if (file.isPresent()) {
      Files.writeString(
          file.get(), line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }
  }
}
