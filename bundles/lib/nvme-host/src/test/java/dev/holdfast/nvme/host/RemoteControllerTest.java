package dev.holdfast.nvme.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.testkit.MemoryBlockDevice;
import dev.holdfast.nvme.host.answer.NvmeAccess;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A controller of our frontend: its identity, its namespaces and its end. */
class RemoteControllerTest {
  private NvmeServer server;
  private RemoteController controller;

  @BeforeEach
  void connect() throws Exception {
    server = new NvmeServer();
    BlockDevice device = new MemoryBlockDevice(1 << 20);
    NvmeTarget target = server.publish("demo", device);
    controller =
        RemoteController.connect(
            new NvmeSubsystem(
                target.address(),
                target.subsystem(),
                target.hostName(),
                target.hostId(),
                target.limit()));
  }

  @AfterEach
  void disconnect() {
    controller.close();
    server.close();
  }

  @Test
  void identityNamesTheSubsystem() {
    assertThat(controller.identity().nqn()).endsWith(":demo");
    assertThat(controller.identity().serialNumber()).hasSize(20);
    assertThat(controller.identity().anaReporting()).isTrue();
  }

  @Test
  void namespacesAreListedWithTheirIdentity() throws Exception {
    assertThat(controller.namespaces()).containsExactly(1);
    assertThat(controller.uuid(1)).isNotEqualTo(new UUID(0, 0));
    assertThat(controller.access(1)).isEqualTo(NvmeAccess.OPTIMIZED);
    assertThat(controller.device(1).size()).isEqualTo(1 << 20);
  }

  @Test
  void closedDeviceLeavesTheControllerConnected() throws Exception {
    controller.device(1).close();
    controller.check();
    assertThat(controller.device(1).size()).isEqualTo(1 << 20);
  }

  @Test
  void endOfTheConnectionIsReportedWithoutACommand() throws Exception {
    CountDownLatch ended = new CountDownLatch(2);
    controller.onEnd(ended::countDown);
    server.close();
    controller.onEnd(ended::countDown);
    assertThat(ended.await(20, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void lostConnectionFailsTheCheck() {
    server.close();
    assertThatThrownBy(controller::check)
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNREACHABLE));
  }
}
