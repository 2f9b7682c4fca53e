package dev.holdfast.frontend.iscsi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.ForwardingBlockDevice;
import dev.holdfast.frontend.iscsi.internal.pdu.AsyncMessage;
import dev.holdfast.frontend.iscsi.internal.pdu.DataOut;
import dev.holdfast.frontend.iscsi.internal.pdu.Frame;
import dev.holdfast.frontend.iscsi.internal.pdu.LogoutRequest;
import dev.holdfast.frontend.iscsi.internal.pdu.LogoutResponse;
import dev.holdfast.frontend.iscsi.internal.pdu.NopIn;
import dev.holdfast.frontend.iscsi.internal.pdu.NopOut;
import dev.holdfast.frontend.iscsi.internal.pdu.ReadyToTransfer;
import dev.holdfast.frontend.iscsi.internal.pdu.Reject;
import dev.holdfast.frontend.iscsi.internal.pdu.ScsiCommand;
import dev.holdfast.frontend.iscsi.internal.pdu.ScsiResponse;
import dev.holdfast.frontend.iscsi.internal.pdu.TaskRequest;
import dev.holdfast.frontend.iscsi.internal.pdu.TaskResponse;
import dev.holdfast.frontend.testkit.HeldBlockDevice;
import dev.holdfast.frontend.testkit.MemoryBlockDevice;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** PDUs of a session one by one. */
@Timeout(60)
final class IscsiSessionTest {
  private static final byte[] NONE = new byte[0];
  private static final int ABORT_TASK = 1;
  private static final int ISID = 77;

  private final HeldBlockDevice device = new HeldBlockDevice(new MemoryBlockDevice(1 << 20));
  private IscsiServer server;
  private URI endpoint;

  @BeforeEach
  void start() throws Exception {
    server = IscsiServer.start();
    endpoint = server.publish("session", device);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void loginUnderTheSameNameEndsTheEarlierSession() throws Exception {
    try (IscsiWire first = IscsiWire.login(endpoint, IscsiClient.Style.IMMEDIATE, ISID);
        IscsiWire second = IscsiWire.login(endpoint, IscsiClient.Style.IMMEDIATE, ISID)) {
      ping(second, 1);
      first.send(new NopOut(true, 0, 1, -1, 7, 0), NONE, 0, 0);
      assertThatThrownBy(first::receive).isInstanceOf(IOException.class);
      ping(second, 2);
    }
  }

  @Test
  void abortedTaskIsNotAnsweredAndAwaited() throws Exception {
    try (IscsiWire wire = ready()) {
      wire.send(command(2, 8, 0x88, true, 512), NONE, 0, 0);
      while (device.waiting() == 0) {
        Thread.onSpinWait();
      }
      wire.send(new TaskRequest(true, ABORT_TASK, 0, 3, 2, 9, 0, 8, 0), NONE, 0, 0);
      ping(wire, 4);
      device.releaseOldest();
      TaskResponse aborted = TaskResponse.parse(expect(wire, TaskResponse.OPCODE));
      assertThat(aborted.tag()).isEqualTo(3);
      assertThat(aborted.response()).isZero();
      ping(wire, 5);
    }
  }

  @Test
  void abortedWriteTakesNoMoreData() throws Exception {
    try (IscsiWire wire = ready()) {
      wire.send(command(2, 8, 0x8a, false, 1024), NONE, 0, 0);
      ReadyToTransfer asked = ReadyToTransfer.parse(expect(wire, ReadyToTransfer.OPCODE));
      assertThat(asked.length()).isEqualTo(1024);
      wire.send(new TaskRequest(true, ABORT_TASK, 0, 3, 2, 9, 0, 8, 0), NONE, 0, 0);
      assertThat(TaskResponse.parse(expect(wire, TaskResponse.OPCODE)).response()).isZero();
      wire.send(new DataOut(true, 0, 2, asked.targetTag(), 0, 0, 0), new byte[1024], 0, 1024);
      ping(wire, 4);
      assertThat(device.waiting()).isZero();
    }
  }

  @Test
  void unknownRequestIsRejected() throws Exception {
    try (IscsiWire wire = ready()) {
      wire.send(
          out -> {
            new NopOut(true, 0, 9, -1, 8, 0).write(out);
            out.put(0, (byte) 0x50);
          },
          NONE,
          0,
          0);
      assertThat(Reject.parse(expect(wire, Reject.OPCODE)).reason()).isEqualTo(5);
      ping(wire, 1);
    }
  }

  @Test
  void newSizeIsAnnouncedOnceAtAPingAndReportedToTheNextCommand() throws Exception {
    AtomicLong size = new AtomicLong(1 << 20);
    BlockDevice growing =
        new ForwardingBlockDevice(new MemoryBlockDevice(2 << 20)) {
          @Override
          public long size() {
            return size.get();
          }
        };
    URI grown = server.publish("growing", growing);
    try (IscsiWire wire = IscsiWire.login(grown, IscsiClient.Style.SOLICITED)) {
      wire.send(command(1, wire.firstCommand(), 0, true, 0), NONE, 0, 0);
      expect(wire, ScsiResponse.OPCODE);
      size.set(2 << 20);
      wire.send(new NopOut(true, 0, 2, -1, 8, 0), NONE, 0, 0);
      AsyncMessage message = AsyncMessage.parse(expect(wire, AsyncMessage.OPCODE));
      assertThat(message.event()).isZero();
      assertThat(NopIn.parse(expect(wire, NopIn.OPCODE)).tag()).isEqualTo(2);
      ping(wire, 3);
      wire.send(command(4, 8, 0, true, 0), NONE, 0, 0);
      Frame refused = wire.receive();
      assertThat(ScsiResponse.parse(refused.header()).status()).isEqualTo(2);
      assertThat(refused.data().getShort(refused.data().position() + 14)).isEqualTo((short) 0x2a09);
    }
  }

  @Test
  void logoutEndsTheConnection() throws Exception {
    try (IscsiWire wire = ready()) {
      wire.send(new LogoutRequest(true, 0, 9, 0, 8, 0), NONE, 0, 0);
      assertThat(LogoutResponse.parse(expect(wire, LogoutResponse.OPCODE)).response()).isZero();
      assertThatThrownBy(wire::receive).isInstanceOf(IOException.class);
    }
  }

  /** A session without pending unit attentions. */
  private IscsiWire ready() throws IOException {
    IscsiWire wire = IscsiWire.login(endpoint, IscsiClient.Style.SOLICITED);
    wire.send(command(1, wire.firstCommand(), 0, true, 0), NONE, 0, 0);
    assertThat(ScsiResponse.parse(expect(wire, ScsiResponse.OPCODE)).status()).isEqualTo(2);
    return wire;
  }

  private static ScsiCommand command(int tag, int number, int opcode, boolean read, int length) {
    ByteBuffer cdb = ByteBuffer.allocate(16).put(0, (byte) opcode);
    if (length > 0) {
      cdb.putInt(10, length / 512);
    }
    return new ScsiCommand(
        false, true, read && length > 0, !read, 0, 0, tag, length, number, 0, cdb);
  }

  private static void ping(IscsiWire wire, int tag) throws IOException {
    wire.send(new NopOut(true, 0, tag, -1, 9, 0), NONE, 0, 0);
    assertThat(NopIn.parse(expect(wire, NopIn.OPCODE)).tag()).isEqualTo(tag);
  }

  private static ByteBuffer expect(IscsiWire wire, int opcode) throws IOException {
    Frame frame = wire.receive();
    assertThat(frame.opcode()).isEqualTo(opcode);
    return frame.header();
  }
}
