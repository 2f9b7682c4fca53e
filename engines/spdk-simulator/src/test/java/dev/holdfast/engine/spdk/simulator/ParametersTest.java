package dev.holdfast.engine.spdk.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.jsonrpc.JsonRpcException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Parameters that SPDK does not know, misses, or finds of another type. */
class ParametersTest extends SimulatorTestBase {
  /** Their decoders ignore parameters that they do not know. */
  private static final Set<String> RELAXED =
      Set.of(
          "nvmf_subsystem_add_listener",
          "nvmf_subsystem_add_ns",
          "nvmf_subsystem_add_host",
          "nvmf_create_transport",
          "keyring_file_add_key");

  private static final Set<Integer> REFUSALS = Set.of(-32602, -32603, -32700);

  @Test
  void everyMethodRefusesAnUnknownParameterUnlessItsDecoderIsRelaxed() throws Exception {
    List<String> accepted = new ArrayList<>();
    JsonNode methods = call("a", "rpc_get_methods", "{}");
    for (JsonNode method : methods) {
      String name = method.textValue();
      JsonRpcException refusal =
          RELAXED.contains(name)
              ? null
              : catchThrowableOfType(
                  JsonRpcException.class, () -> call("a", name, "{'no_such_parameter':1}"));
      if (!RELAXED.contains(name) && (refusal == null || !REFUSALS.contains(refusal.rpcCode()))) {
        accepted.add(name);
      }
    }
    assertThat(methods).hasSizeGreaterThan(60);
    assertThat(accepted).as("methods that accept an unknown parameter").isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "bdev_aio_create|{'name':'x'}|-32603|spdk_json_decode_object failed",
        "bdev_aio_create|{'name':'x','filename':7}|-32603|spdk_json_decode_object failed",
        "bdev_lvol_create|{'lvol_name':'x','size_in_mib':'1'}|-32603|spdk_json_decode_object failed",
        "bdev_lvol_create|{'lvol_name':'x','size_in_mib':-1}|-32603|spdk_json_decode_object failed",
        "bdev_raid_create|{'name':'x','raid_level':'raid7','base_bdevs':[]}|-32700|spdk_json_decode_object failed",
        "bdev_raid_create|{'name':'x','raid_level':'raid1','base_bdevs':[1]}|-32700|spdk_json_decode_object failed",
        "bdev_raid_create|{'name':'x','raid_level':'raid1','base_bdevs':[],'uuid':'x'}|-32700|spdk_json_decode_object failed",
        "nvmf_subsystem_add_ns|{'nqn':'x','namespace':{'nsid':1}}|-32602|Invalid parameters",
        "nvmf_subsystem_add_ns|{'nqn':'x','namespace':{'bdev_name':'y','z':1}}|-32602|Invalid parameters",
        "bdev_nvme_reset_controller|{}|-32602|Invalid argument",
        "bdev_nvme_set_keys|{}|-32602|spdk_json_decode_object failed",
        "no_such_method|{}|-32601|Method not found",
      })
  void wrongParametersAreRefusedAsRecorded(String method, String params, int code, String message) {
    assertRefused("a", method, params, code, message);
  }
}
