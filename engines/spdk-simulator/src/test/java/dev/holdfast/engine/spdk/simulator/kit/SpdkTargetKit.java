package dev.holdfast.engine.spdk.simulator.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.Completion;
import dev.holdfast.error.StorageException;
import dev.holdfast.jsonrpc.JsonRpcException;
import dev.holdfast.nvme.host.NvmeDevice;
import dev.holdfast.nvme.host.NvmeSubsystem;
import dev.holdfast.nvme.host.RemoteController;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/**
 * Behaviour that the SPDK engine relies on, in calls and in bytes over NVMe/TCP, for the simulator
 * and for a real target; subclasses choose. Two targets {@code a} and {@code b} have a store each,
 * of the target's name, with clusters of 1 MiB. Calls are JSON with single quotes.
 */
abstract class SpdkTargetKit {
  static final String HOST = "nqn.2026-11.dev.holdfast:kit";
  static final String NEVER_FAIL = ",'ctrlr_loss_timeout_sec':-1,'reconnect_delay_sec':1";
  static final int MIB = 1 << 20;
  static final int BLOCK = 4_096;

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir Path folder;
  private final Map<String, String> ports = new HashMap<>();
  private final List<RemoteController> hosts = new ArrayList<>();
  private final CallRecorder recorder = CallRecorder.ofEnvironment();
  private TargetNodes nodes;

  /** Returns targets that keep their files in a folder; none runs. */
  abstract TargetNodes nodes(Path folder);

  @BeforeEach
  final void startTargets() throws Exception {
    nodes = nodes(folder);
    for (String name : List.of("a", "b")) {
      try (RandomAccessFile disk = new RandomAccessFile(file(name + ".img").toFile(), "rw")) {
        disk.setLength(128L * MIB);
      }
      start(name);
      call(
          name,
          "bdev_lvol_create_lvstore",
          "{'bdev_name':'disk','lvs_name':'%s','cluster_sz':1048576,'clear_method':'none'}"
              .formatted(name));
    }
  }

  @AfterEach
  final void stopTargets() throws Exception {
    hosts.forEach(RemoteController::close);
    nodes.stop();
  }

  final Path file(String name) {
    return folder.resolve(name);
  }

  /** Ends a target as {@code kill -9} does. */
  final void kill(String target) throws Exception {
    nodes.kill(target);
    recorder.event(target, "kill -9");
  }

  /** Starts a target and gives it its disk and its transport. */
  final void start(String target) throws Exception {
    nodes.start(target);
    recorder.event(target, "start");
    call(
        target,
        "bdev_nvme_set_options",
        "{'tcp_connect_timeout_ms':500,'transport_ack_timeout':12}");
    call(
        target,
        "bdev_aio_create",
        "{'filename':'%s','name':'disk','block_size':4096}".formatted(file(target + ".img")));
    call(target, "bdev_wait_for_examine", "{}");
    call(target, "nvmf_create_transport", "{'trtype':'TCP'}");
  }

  // --- calls ------------------------------------------------------------------------------

  final JsonNode call(String target, String method, String params) throws Exception {
    JsonNode parsed = parse(params);
    try {
      JsonNode result = nodes.client(target).call(method, parsed, PATIENCE);
      recorder.answered(target, method, parsed, result);
      return result;
    } catch (JsonRpcException e) {
      recorder.refused(target, method, parsed, e);
      throw e;
    }
  }

  /** Begins a call; its answer is not recorded. */
  final CompletableFuture<JsonNode> send(String target, String method, String params)
      throws Exception {
    return nodes.client(target).send(method, parse(params), PATIENCE);
  }

  private static JsonNode parse(String params) throws IOException {
    JsonNode parsed = JSON.readTree(params.replace('\'', '"'));
    return parsed.isEmpty() ? MissingNode.getInstance() : parsed;
  }

  final void assertRefused(String target, String method, String params, int code) {
    JsonRpcException refusal =
        catchThrowableOfType(JsonRpcException.class, () -> call(target, method, params));
    assertThat(refusal).as(method + " " + params).isNotNull();
    assertThat(refusal.rpcCode()).as(refusal.getMessage()).isEqualTo(code);
  }

  /** Makes a thin volume of 16 MiB. */
  final void lvol(String target, String name) throws Exception {
    call(
        target,
        "bdev_lvol_create",
        "{'lvs_name':'%s','lvol_name':'%s','size_in_mib':16,'thin_provision':true}"
            .formatted(target, name));
  }

  final JsonNode device(String target, String name) throws Exception {
    return call(target, "bdev_get_bdevs", "{'name':'%s'}".formatted(name)).path(0);
  }

  final int clusters(String target, String lvol) throws Exception {
    return device(target, lvol)
        .path("driver_specific")
        .path("lvol")
        .path("num_allocated_clusters")
        .asInt(-1);
  }

  // --- exports ----------------------------------------------------------------------------

  final String port(String name) {
    return ports.computeIfAbsent(name, unused -> nodes.freePort());
  }

  final String address(String name) {
    return "{'trtype':'TCP','adrfam':'IPv4','traddr':'127.0.0.1','trsvcid':'%s'}"
        .formatted(port(name));
  }

  /** Exports a device as namespace 1 of a subsystem for the host of the kit and other targets. */
  final void export(String target, String device, String name) throws Exception {
    call(
        target,
        "nvmf_create_subsystem",
        "{'nqn':'nqn.2026-11.x:%s','allow_any_host':true,'ana_reporting':true}".formatted(name));
    call(
        target,
        "nvmf_subsystem_add_ns",
        "{'nqn':'nqn.2026-11.x:%s','namespace':{'bdev_name':'%s','nsid':1}}"
            .formatted(name, device));
    listen(target, name, "");
  }

  final void listen(String target, String name, String options) throws Exception {
    call(
        target,
        "nvmf_subsystem_add_listener",
        "{'nqn':'nqn.2026-11.x:%s','listen_address':%s%s}".formatted(name, address(name), options));
  }

  /** Attaches a subsystem of another target; its namespace becomes the device {@code <name>n1}. */
  final JsonNode attach(String target, String name, String subsystem, String options)
      throws Exception {
    return call(target, "bdev_nvme_attach_controller", attachment(name, subsystem, options));
  }

  final String attachment(String name, String subsystem, String options) {
    return ("{'name':'%s','trtype':'TCP','adrfam':'IPv4','traddr':'127.0.0.1','trsvcid':'%s',"
            + "'subnqn':'nqn.2026-11.x:%s'%s}")
        .formatted(name, port(subsystem), subsystem, options);
  }

  // --- host -------------------------------------------------------------------------------

  final RemoteController host(String subsystem) throws StorageException {
    RemoteController controller =
        RemoteController.connect(
            new NvmeSubsystem(
                new InetSocketAddress(
                    InetAddress.getLoopbackAddress(), Integer.parseInt(port(subsystem))),
                "nqn.2026-11.x:" + subsystem,
                HOST,
                new UUID(1, 2),
                PATIENCE));
    hosts.add(controller);
    return controller;
  }

  final NvmeDevice volume(String subsystem) throws StorageException {
    return host(subsystem).device(1);
  }

  static CompletableFuture<Void> begin(Consumer<Completion> request) {
    CompletableFuture<Void> ended = new CompletableFuture<>();
    request.accept(
        failure -> {
          if (failure == null) {
            ended.complete(null);
          } else {
            ended.completeExceptionally(failure);
          }
        });
    return ended;
  }

  static <T> T await(CompletableFuture<T> future) throws StorageException {
    try {
      return future.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof StorageException failure) {
        throw failure;
      }
      throw new IllegalStateException(e);
    } catch (InterruptedException | TimeoutException e) {
      throw new IllegalStateException(e);
    }
  }

  static CompletableFuture<Void> writing(BlockDevice device, long offset, byte[] bytes) {
    return begin(ended -> device.write(offset, ByteBuffer.wrap(bytes), 0, ended));
  }

  static void write(BlockDevice device, long offset, byte[] bytes) throws StorageException {
    await(writing(device, offset, bytes));
  }

  static byte[] read(BlockDevice device, long offset, int length) throws StorageException {
    ByteBuffer bytes = ByteBuffer.allocate(length);
    await(begin(ended -> device.read(offset, bytes, ended)));
    return bytes.array();
  }

  static byte[] random(int length, int seed) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  /** A condition of a target. */
  interface Condition {
    boolean holds() throws Exception;
  }

  /** Waits for something that a target does by itself and reports by no event. */
  static void eventually(String what, Condition condition) throws Exception {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.holds()) {
      assertThat(System.nanoTime() - deadline).as(what + " did not happen").isNegative();
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
  }
}
