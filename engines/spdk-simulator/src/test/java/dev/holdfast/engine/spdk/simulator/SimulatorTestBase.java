package dev.holdfast.engine.spdk.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.engine.spdk.simulator.fabric.FabricAddress;
import dev.holdfast.engine.spdk.simulator.fabric.FabricConnection;
import dev.holdfast.engine.spdk.simulator.fabric.FabricHost;
import dev.holdfast.engine.spdk.simulator.fabric.FabricNamespace;
import dev.holdfast.engine.spdk.simulator.internal.tcp.RemoteConnection;
import dev.holdfast.jsonrpc.JsonRpcException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Two targets with a store each; calls as JSON with single quotes. */
abstract class SimulatorTestBase {
  static final Duration PATIENCE = Duration.ofSeconds(20);
  static final String HOST = "nqn.2026-11.dev.holdfast:host";
  static final int MIB = 1 << 20;

  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir Path folder;
  SimulatedNodes nodes;

  @BeforeEach
  final void startTargets() throws Exception {
    nodes = new SimulatedNodes(folder);
    for (String name : new String[] {"a", "b"}) {
      nodes.disk(name + ".img", 64L * MIB);
      nodes.start(name);
      use(name);
      call(
          name,
          "bdev_lvol_create_lvstore",
          "{'bdev_name':'%1$s','lvs_name':'%1$s','cluster_sz':1048576}".formatted(name));
    }
  }

  @AfterEach
  final void stopTargets() throws Exception {
    nodes.close();
  }

  /** Gives a target its disk and its transport. */
  final void use(String target) throws Exception {
    call(
        target,
        "bdev_aio_create",
        "{'filename':'%1$s.img','name':'%1$s','block_size':4096}".formatted(target));
    call(target, "nvmf_create_transport", "{'trtype':'TCP'}");
  }

  final JsonNode call(String target, String method, String params) throws Exception {
    return nodes.client(target).call(method, JSON.readTree(params.replace('\'', '"')), PATIENCE);
  }

  final void assertRefused(String target, String method, String params, int code, String text) {
    JsonRpcException refusal =
        catchThrowableOfType(JsonRpcException.class, () -> call(target, method, params));
    assertThat(refusal).as(method + " " + params).isNotNull();
    assertThat(refusal.rpcMessage()).isEqualTo(text);
    assertThat(refusal.rpcCode()).isEqualTo(code);
  }

  /** Makes a thin volume of 16 MiB. */
  final void lvol(String target, String name) throws Exception {
    call(
        target,
        "bdev_lvol_create",
        "{'lvs_name':'%s','lvol_name':'%s','size_in_mib':16,'thin_provision':true}"
            .formatted(target, name));
  }

  final JsonNode lvolState(String target, String name) throws Exception {
    return call(target, "bdev_get_bdevs", "{'name':'%s/%s'}".formatted(target, name))
        .path(0)
        .path("driver_specific")
        .path("lvol");
  }

  /** Exports a device of a target. Its port is the name of the subsystem. */
  final void export(String target, String device, String name) throws Exception {
    call(
        target,
        "nvmf_create_subsystem",
        "{'nqn':'nqn.x:%s','allow_any_host':true,'ana_reporting':true}".formatted(name));
    call(
        target,
        "nvmf_subsystem_add_ns",
        "{'nqn':'nqn.x:%s','namespace':{'bdev_name':'%s','nsid':1}}".formatted(name, device));
    call(
        target,
        "nvmf_subsystem_add_listener",
        "{'nqn':'nqn.x:%1$s','listen_address':%2$s}".formatted(name, place(name)));
  }

  static String place(String name) {
    return "{'trtype':'TCP','adrfam':'IPv4','traddr':'127.0.0.1','trsvcid':'%s'}".formatted(name);
  }

  final FabricConnection connect(String name, FabricHost host) throws IOException {
    return RemoteConnection.connect(
        nodes.fabric(), new FabricAddress("TCP", "IPv4", "127.0.0.1", name), "nqn.x:" + name, host);
  }

  final FabricNamespace namespace(String name) throws IOException {
    return connect(name, FabricHost.named(HOST)).namespaces().get(0);
  }

  static ByteBuffer bytes(int length, int value) {
    byte[] content = new byte[length];
    Arrays.fill(content, (byte) value);
    return ByteBuffer.wrap(content);
  }

  static void assertReads(FabricNamespace namespace, long offset, int length, int value)
      throws IOException {
    ByteBuffer found = ByteBuffer.allocate(length);
    namespace.read(offset, found);
    assertThat(found.array()).isEqualTo(bytes(length, value).array());
  }
}
