package dev.holdfast.engine.spdk.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.Completion;
import dev.holdfast.engine.spdk.simulator.fabric.FabricAddress;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.nvme.host.NvmeDevice;
import dev.holdfast.nvme.host.NvmeSubsystem;
import dev.holdfast.nvme.host.RemoteController;
import dev.holdfast.nvme.host.answer.NvmeAccess;
import dev.holdfast.nvme.host.answer.NvmeStatusException;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Namespaces over real sockets: what a host of NVMe/TCP sees of simulated targets. */
class NvmeTcpTest extends SimulatorTestBase {
  private String port;

  @BeforeEach
  void choosePort() {
    port = nodes.fabric().freePort();
  }

  /** Exports a device at the free port; hosts are admitted by the caller. */
  private void serve(String target, String device, String name) throws Exception {
    call(
        target,
        "nvmf_create_subsystem",
        "{'nqn':'nqn.x:%s','ana_reporting':true,'serial_number':'SN1'}".formatted(name));
    call(
        target,
        "nvmf_subsystem_add_ns",
        "{'nqn':'nqn.x:%s','namespace':{'bdev_name':'%s','nsid':3}}".formatted(name, device));
    call(
        target,
        "nvmf_subsystem_add_listener",
        "{'nqn':'nqn.x:%s','listen_address':%s}".formatted(name, place(port)));
  }

  private void admit(String target, String name) throws Exception {
    call(target, "nvmf_subsystem_add_host", "{'nqn':'nqn.x:%s','host':'%s'}".formatted(name, HOST));
  }

  private RemoteController host(String name) throws StorageException {
    return RemoteController.connect(
        new NvmeSubsystem(
            nodes.fabric().socket(new FabricAddress("TCP", "IPv4", "127.0.0.1", port)),
            "nqn.x:" + name,
            HOST,
            new UUID(1, 2),
            PATIENCE));
  }

  private static void await(Consumer<Completion> request) throws Exception {
    CompletableFuture<Void> ended = new CompletableFuture<>();
    request.accept(
        failure -> {
          if (failure == null) {
            ended.complete(null);
          } else {
            ended.completeExceptionally(failure);
          }
        });
    try {
      ended.get(20, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw (Exception) e.getCause();
    }
  }

  private static byte[] read(BlockDevice device, long offset, int length) throws Exception {
    ByteBuffer bytes = ByteBuffer.allocate(length);
    await(ended -> device.read(offset, bytes, ended));
    return bytes.array();
  }

  private static byte[] random(int length) {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    return bytes;
  }

  @Test
  void hostWritesAMirrorOfALocalAndARemoteLegAndBothLegsAreEqual() throws Exception {
    lvol("a", "local");
    lvol("b", "leg");
    export("b", "b/leg", "leg");
    call(
        "a",
        "bdev_nvme_attach_controller",
        "{'name':'remote','trtype':'TCP','adrfam':'IPv4','traddr':'127.0.0.1','trsvcid':'leg',"
            + "'subnqn':'nqn.x:leg'}");
    call(
        "a",
        "bdev_raid_create",
        "{'name':'vol','raid_level':'raid1','base_bdevs':['a/local','remoten1']}");
    serve("a", "vol", "vol");
    admit("a", "vol");
    byte[] content = random(3 * MIB);
    try (RemoteController controller = host("vol")) {
      NvmeDevice volume = controller.device(3);
      await(ended -> volume.write(700, ByteBuffer.wrap(content), 0, ended));
      await(volume::flush);
      assertThat(read(volume, 700, content.length)).isEqualTo(content);
    }
    call("a", "nvmf_delete_subsystem", "{'nqn':'nqn.x:vol'}");
    call("a", "bdev_raid_delete", "{'name':'vol'}");
    assertThat(contentOf("a", "a/local")).isEqualTo(contentOf("a", "remoten1"));
  }

  private byte[] contentOf(String target, String device) throws Exception {
    serve(target, device, "check");
    admit(target, "check");
    try (RemoteController controller = host("check")) {
      NvmeDevice found = controller.device(3);
      return read(found, 0, (int) found.size());
    } finally {
      call(target, "nvmf_delete_subsystem", "{'nqn':'nqn.x:check'}");
    }
  }

  @Test
  void controllerTellsItsSubsystemAndItsNamespaces() throws Exception {
    lvol("a", "v");
    serve("a", "a/v", "v");
    admit("a", "v");
    String uuid = call("a", "bdev_get_bdevs", "{'name':'a/v'}").path(0).path("uuid").asText();
    try (RemoteController controller = host("v")) {
      assertThat(controller.identity().nqn()).isEqualTo("nqn.x:v");
      assertThat(controller.identity().serialNumber()).isEqualTo("SN1");
      assertThat(controller.namespaces()).containsExactly(3);
      assertThat(controller.uuid(3)).hasToString(uuid);
      assertThat(controller.device(3).size()).isEqualTo(16L * MIB);
      assertThat(controller.device(3).blockSize()).isEqualTo(4_096);
      assertThatThrownBy(() -> controller.device(4))
          .isInstanceOfSatisfying(
              StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_FOUND));
    }
  }

  @Test
  void zeroedAndTrimmedBlocksReadAsZeroes() throws Exception {
    lvol("a", "v");
    serve("a", "a/v", "v");
    admit("a", "v");
    try (RemoteController controller = host("v")) {
      NvmeDevice device = controller.device(3);
      await(ended -> device.write(0, ByteBuffer.wrap(random(2 * MIB)), 0, ended));
      await(ended -> device.writeZeroes(0, MIB, 0, ended));
      await(ended -> device.trim(MIB, MIB, 0, ended));
      assertThat(read(device, 0, 2 * MIB)).containsOnly(0);
    }
  }

  @Test
  void hostThatIsNotAdmittedIsRefusedAndARejectedOneLosesItsConnection() throws Exception {
    lvol("a", "v");
    serve("a", "a/v", "v");
    assertRefusedWith(ErrorCode.FORBIDDEN, "v");
    assertRefusedWith(ErrorCode.NOT_FOUND, "other");
    admit("a", "v");
    try (RemoteController controller = host("v")) {
      controller.check();
      call("a", "nvmf_subsystem_remove_host", "{'nqn':'nqn.x:v','host':'%s'}".formatted(HOST));
      assertThatThrownBy(controller::check)
          .isInstanceOfSatisfying(
              StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNREACHABLE));
    }
    assertRefusedWith(ErrorCode.FORBIDDEN, "v");
  }

  private void assertRefusedWith(ErrorCode code, String name) {
    assertThatThrownBy(() -> host(name).close())
        .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.code()).isEqualTo(code));
  }

  @Test
  void accessStateIsInTheLogAndRefusesCommands() throws Exception {
    lvol("a", "v");
    serve("a", "a/v", "v");
    admit("a", "v");
    try (RemoteController controller = host("v")) {
      NvmeDevice device = controller.device(3);
      assertThat(controller.access(3)).isEqualTo(NvmeAccess.OPTIMIZED);
      setAccess("inaccessible");
      assertThat(controller.access(3)).isEqualTo(NvmeAccess.INACCESSIBLE);
      assertThatThrownBy(() -> read(device, 0, 4_096))
          .isInstanceOfSatisfying(
              NvmeStatusException.class,
              e -> assertThat(e.status()).isEqualTo(NvmeStatusException.INACCESSIBLE));
      setAccess("non_optimized");
      assertThat(controller.access(3)).isEqualTo(NvmeAccess.NON_OPTIMIZED);
      assertThat(read(device, 0, 4_096)).containsOnly(0);
    }
  }

  private void setAccess(String state) throws Exception {
    call(
        "a",
        "nvmf_subsystem_listener_set_ana_state",
        "{'nqn':'nqn.x:v','listen_address':%s,'ana_state':'%s'}".formatted(place(port), state));
  }
}
