package dev.holdfast.nvme.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.IoFlags;
import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.block.testkit.Outcome;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.testkit.FailingBlockDevice;
import dev.holdfast.frontend.testkit.HeldBlockDevice;
import dev.holdfast.frontend.testkit.MemoryBlockDevice;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Targets that reject, fail, hang or disconnect. */
class NvmeFailureTest {
  private static final int SIZE = 1 << 20;
  private static final Duration SHORT = Duration.ofMillis(200);

  private NvmeServer server;

  @BeforeEach
  void startServer() throws Exception {
    server = new NvmeServer();
  }

  @AfterEach
  void stopServer() {
    server.close();
  }

  private static void assertRefused(NvmeTarget target, ErrorCode code, String words) {
    StorageException refusal =
        catchThrowableOfType(StorageException.class, () -> NvmeDevice.connect(target).close());
    assertThat(refusal).isNotNull().hasMessageContaining(words);
    assertThat(refusal.code()).as(refusal.getMessage()).isEqualTo(code);
  }

  private static NvmeTarget with(NvmeTarget target, String subsystem, int namespace) {
    return new NvmeTarget(
        target.address(), subsystem, namespace, target.hostName(), target.hostId(), target.limit());
  }

  @Test
  void unknownSubsystemAndNamespaceAreNotFound() throws Exception {
    NvmeTarget target = server.publish("v", new MemoryBlockDevice(SIZE));
    assertRefused(with(target, target.subsystem() + "x", 1), ErrorCode.NOT_FOUND, "Connect");
    assertRefused(with(target, target.subsystem(), 2), ErrorCode.NOT_FOUND, "namespace 2");
  }

  @Test
  void targetThatIsAbsentOrMuteIsUnreachable() throws Exception {
    InetSocketAddress address;
    try (ServerSocket mute = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      address = new InetSocketAddress(mute.getInetAddress(), mute.getLocalPort());
      assertRefused(
          NvmeServer.target(address, "nqn.x", SHORT), ErrorCode.UNREACHABLE, "could not connect");
    }
    assertRefused(
        NvmeServer.target(address, "nqn.x", SHORT), ErrorCode.UNREACHABLE, "could not connect");
  }

  @ParameterizedTest
  @CsvSource({
    "NO_SPACE, NO_SPACE",
    "FORBIDDEN, FORBIDDEN",
    "BUSY, BUSY",
    "UNREACHABLE, UNREACHABLE",
    "UNSUPPORTED, UNSUPPORTED",
    "IO, IO",
  })
  void failureOfTheTargetKeepsItsCodeAndTheConnection(ErrorCode failure, ErrorCode code)
      throws Exception {
    FailingBlockDevice failing = new FailingBlockDevice(new MemoryBlockDevice(SIZE));
    try (BlockDevice device = NvmeDevice.connect(server.publish("v", failing))) {
      failing.fail(Optional.of(failure));
      assertThatThrownBy(() -> new DeviceIo(device).write(0, new byte[4_096]))
          .isInstanceOfSatisfying(
              StorageException.class, e -> assertThat(e.code()).isEqualTo(code));
      failing.fail(Optional.empty());
      new DeviceIo(device).write(0, new byte[4_096]);
    }
  }

  @Test
  void commandWithoutAnAnswerTimesOutAndEndsTheDevice() throws Exception {
    HeldBlockDevice held = new HeldBlockDevice(new MemoryBlockDevice(SIZE));
    NvmeTarget target = server.publish("v", held);
    NvmeTarget impatient = NvmeServer.target(target.address(), target.subsystem(), SHORT);
    try (BlockDevice device = NvmeDevice.connect(impatient)) {
      Outcome first = new Outcome();
      device.write(0, DeviceIo.direct(new byte[4_096]), IoFlags.NONE, first);
      assertThat(first.failure()).isEqualTo(ErrorCode.TIMEOUT);
      Outcome second = new Outcome();
      device.write(0, DeviceIo.direct(new byte[4_096]), IoFlags.NONE, second);
      assertThat(second.failure()).isEqualTo(ErrorCode.TIMEOUT);
      assertThat(first.calls()).isEqualTo(1);
    }
    releaseAll(held);
  }

  @Test
  void lostConnectionFailsRequestsInFlightAndQueuedOnes() throws Exception {
    HeldBlockDevice held = new HeldBlockDevice(new MemoryBlockDevice(SIZE));
    NvmeTarget target = server.publish("v", held);
    try (CuttableLink link = new CuttableLink(target.address());
        BlockDevice device =
            NvmeDevice.connect(
                NvmeServer.target(link.address(), target.subsystem(), target.limit()))) {
      Outcome[] outcomes = new Outcome[200]; // more requests than the queue holds
      for (int i = 0; i < outcomes.length; i++) {
        outcomes[i] = new Outcome();
        device.write(i * 512L, DeviceIo.direct(new byte[512]), IoFlags.NONE, outcomes[i]);
      }
      while (held.waiting() < 100) {
        Thread.onSpinWait();
      }
      link.cut();
      for (Outcome outcome : outcomes) {
        assertThat(outcome.failure()).isEqualTo(ErrorCode.UNREACHABLE);
        assertThat(outcome.calls()).isEqualTo(1);
      }
    }
    releaseAll(held);
  }

  /** Releases all requests, so that the server does not wait for them. */
  private static void releaseAll(HeldBlockDevice held) throws InterruptedException {
    while (held.waiting() > 0) {
      held.releaseOldest();
    }
  }

  @Test
  void closeFailsRequestsInFlight() throws Exception {
    HeldBlockDevice held = new HeldBlockDevice(new MemoryBlockDevice(SIZE));
    BlockDevice device = NvmeDevice.connect(server.publish("v", held));
    Outcome outcome = new Outcome();
    device.write(0, DeviceIo.direct(new byte[100]), IoFlags.NONE, outcome);
    device.close();
    assertThat(outcome.ending()).contains(ErrorCode.IO);
    releaseAll(held);
  }

  @ParameterizedTest
  @CsvSource({"'', 1, 1000, subsystem", "s, 0, 1000, namespace", "s, 1, 9, limit"})
  void wrongTargetIsRefusedByName(String subsystem, int namespace, long millis, String field) {
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
    NvmeTarget good = NvmeServer.target(address, "s", SHORT);
    assertThatThrownBy(
            () ->
                new NvmeTarget(
                    address,
                    subsystem,
                    namespace,
                    good.hostName(),
                    good.hostId(),
                    Duration.ofMillis(millis)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(field + ": must");
  }
}
