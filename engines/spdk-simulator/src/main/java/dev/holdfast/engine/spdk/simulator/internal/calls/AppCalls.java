package dev.holdfast.engine.spdk.simulator.internal.calls;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.engine.spdk.simulator.internal.nvmf.Keyring;
import dev.holdfast.engine.spdk.simulator.internal.rpc.Params;
import dev.holdfast.engine.spdk.simulator.internal.rpc.RpcError;
import dev.holdfast.engine.spdk.simulator.internal.rpc.RpcMethods;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Methods of the program itself, and of its keyring. */
public final class AppCalls {
  private static final Map<String, List<String>> SUBSYSTEMS = new LinkedHashMap<>();

  static {
    SUBSYSTEMS.put("keyring", List.of());
    SUBSYSTEMS.put("accel", List.of("iobuf"));
    SUBSYSTEMS.put("bdev", List.of("accel", "keyring", "vmd", "sock", "iobuf"));
    SUBSYSTEMS.put("nvmf", List.of("bdev", "keyring", "sock", "accel", "iobuf"));
  }

  private final RpcMethods methods;
  private final Keyring keyring;
  private final Runnable end;

  /**
   * Creates the methods.
   *
   * @param end ends the target after the answer
   */
  public AppCalls(RpcMethods methods, Keyring keyring, Runnable end) {
    this.methods = methods;
    this.keyring = keyring;
    this.end = end;
  }

  /** Adds them. */
  public void register() {
    methods.add("spdk_get_version", params -> version());
    methods.add("rpc_get_methods", params -> methodNames());
    methods.add("framework_get_subsystems", params -> subsystems());
    methods.add("spdk_kill_instance", params -> kill());
    methods.add("keyring_file_add_key", this::addKey);
    methods.add(
        "keyring_file_remove_key",
        params -> Answers.done(() -> keyring.remove(params.text("name"))));
    methods.add("keyring_get_keys", params -> keyring.describe());
  }

  private static JsonNode version() {
    ObjectNode answer = Answers.object().put("version", "SPDK v26.05");
    answer.putObject("fields").put("major", 26).put("minor", 5).put("patch", 0).put("suffix", "");
    return answer;
  }

  private JsonNode methodNames() {
    ArrayNode names = JsonNodeFactory.instance.arrayNode();
    methods.names().forEach(names::add);
    return names;
  }

  private static JsonNode subsystems() {
    ArrayNode list = JsonNodeFactory.instance.arrayNode();
    SUBSYSTEMS.forEach(
        (name, needed) -> {
          ObjectNode entry = list.addObject().put("subsystem", name);
          needed.forEach(entry.putArray("depends_on")::add);
        });
    return list;
  }

  private JsonNode kill() {
    end.run();
    return Answers.TRUE;
  }

  private JsonNode addKey(Params params) throws RpcError {
    return Answers.done(() -> keyring.add(params.text("name"), params.text("path")));
  }
}
