package dev.holdfast.frontend.iscsi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.frontend.iscsi.internal.pdu.DataOut;
import dev.holdfast.frontend.iscsi.internal.pdu.Frame;
import dev.holdfast.frontend.iscsi.internal.pdu.NopIn;
import dev.holdfast.frontend.iscsi.internal.pdu.NopOut;
import dev.holdfast.frontend.iscsi.internal.pdu.ReadyToTransfer;
import dev.holdfast.frontend.iscsi.internal.pdu.ScsiCommand;
import dev.holdfast.frontend.iscsi.internal.pdu.ScsiResponse;
import dev.holdfast.frontend.testkit.MemoryBlockDevice;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The length of a command, the length that its initiator expects, and the final bit. */
@Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class IscsiTransferLengthTest {
  private static final int BLOCK = 512;
  private static final int SIZE = 1 << 20;
  private static final int INVALID_FIELD_IN_INFORMATION_UNIT = 0x0e03;
  private static final int[] BLOCKS = {0, 1, 2, 8};
  private static final int[] EXPECTED = {0, 1, 200, 511, 512, 513, 1024, 1500, 4096, 5000};
  private static final HexFormat HEX = HexFormat.of();

  private final MemoryBlockDevice device = new MemoryBlockDevice(SIZE);
  private IscsiServer server;
  private URI endpoint;
  private IscsiWire wire;
  private int tag;
  private int number;

  /** End of a command. */
  private record Ending(int status, int key, int code, int overflow, int underflow) {}

  /**
   * Command of an initiator.
   *
   * @param opcode opcode of a write
   * @param blocks number of blocks in the descriptor block
   * @param expected the expected data transfer length
   * @param immediate bytes of immediate data
   * @param isFinal whether no other unsolicited data follows
   * @param write whether the W bit is set
   */
  private record Sent(
      int opcode, int blocks, int expected, int immediate, boolean isFinal, boolean write) {}

  @BeforeEach
  void start() throws Exception {
    server = IscsiServer.start();
    endpoint = server.publish("lengths", device);
  }

  @AfterEach
  void stop() throws IOException {
    if (wire != null) {
      wire.close();
    }
    server.close();
  }

  @ParameterizedTest
  @CsvSource({"0x8a", "0x8e"})
  void writeThatExpectsTooLittleWritesNothing(String opcode) throws Exception {
    login(IscsiClient.Style.IMMEDIATE);
    for (int blocks : BLOCKS) {
      for (int expected : EXPECTED) {
        for (int immediate : new int[] {0, expected / 2, expected}) {
          for (boolean isFinal : new boolean[] {true, false}) {
            check(new Sent(Integer.decode(opcode), blocks, expected, immediate, isFinal, true));
          }
        }
      }
      check(new Sent(Integer.decode(opcode), blocks, 0, 0, true, false));
      check(new Sent(Integer.decode(opcode), blocks, 0, 0, false, false));
    }
    ping();
  }

  @ParameterizedTest
  @CsvSource({"0x8a", "0x8e"})
  void writeWhoseDataIsSolicitedWritesNothingWhenItExpectsTooLittle(String opcode)
      throws Exception {
    login(IscsiClient.Style.SOLICITED);
    for (int blocks : BLOCKS) {
      for (int expected : EXPECTED) {
        check(new Sent(Integer.decode(opcode), blocks, expected, 0, true, true));
      }
    }
    ping();
  }

  @Test
  void parameterListThatExpectsTooLittleIsRefused() throws Exception {
    login(IscsiClient.Style.IMMEDIATE);
    device.write(0, ByteBuffer.wrap(filled(8192)), 0, failure -> {});
    byte[] list = new byte[24];
    ByteBuffer.wrap(list).putShort(0, (short) 22).putShort(2, (short) 16).putInt(16, 8);
    byte[] unmap = HEX.parseHex("42000000000000001800");
    Ending ending = exchange(unmap, Arrays.copyOf(list, 12), 12, true, true);
    assertThat(ending)
        .isEqualTo(new Ending(2, 5, INVALID_FIELD_IN_INFORMATION_UNIT, list.length - 12, 0));
    assertThat(content(8192)).isEqualTo(filled(8192));
    assertThat(exchange(unmap, list, list.length, true, true).status()).isZero();
    assertThat(content(4096)).isEqualTo(new byte[4096]);
  }

  /** Each command with a length, allocation length or parameter list length of 0. */
  @ParameterizedTest
  @CsvSource({
    "READ 10,28000000000000000000,0",
    "READ 12,a80000000000000000000000,0",
    "READ 16,88000000000000000000000000000000,0",
    "WRITE 10,2a000000000000000000,0",
    "WRITE 12,aa0000000000000000000000,0",
    "WRITE 16,8a000000000000000000000000000000,0",
    "WRITE 16 at the end,8a000000000000000800000000000000,0",
    "WRITE AND VERIFY 10,2e020000000000000000,0",
    "WRITE AND VERIFY 16,8e020000000000000000000000000000,0",
    "VERIFY 10,2f000000000000000000,0",
    "VERIFY 10 of bytes,2f020000000000000000,0",
    "VERIFY 16 of one block,8f060000000000000000000000000000,0",
    "COMPARE AND WRITE,89000000000000000000000000000000,0",
    "PRE-FETCH 10,34000000000000000000,0",
    "PRE-FETCH 16,90000000000000000000000000000000,0",
    "SYNCHRONIZE CACHE 10,35000000000000000000,0",
    "SYNCHRONIZE CACHE 16,91000000000000000000000000000000,0",
    "UNMAP,42000000000000000000,0",
    "WRITE SAME 10,41000000000000000000,2400",
    "WRITE SAME 16,93000000000000000000000000000000,2400",
    "WRITE SAME 16 without data,93010000000000000000000000000000,2400",
    "GET LBA STATUS,9e120000000000000000000000000000,0",
    "INQUIRY,120000000000,0",
    "REQUEST SENSE,030000000000,0",
    "MODE SENSE 6,1a003f000000,0",
    "MODE SENSE 10,5a003f00000000000000,0",
    "MODE SELECT 6,151000000000,0",
    "MODE SELECT 10,55100000000000000000,0",
    "READ CAPACITY 16,9e100000000000000000000000000000,0",
    "READ KEYS,5e000000000000000000,0",
    "REPORT OPCODES,a30c00000000000000000000,0",
    "REGISTER,5f000000000000000000,1a00"
  })
  void commandOfLengthZeroIsAnsweredAndWritesNothing(String name, String cdb, String code)
      throws Exception {
    login(IscsiClient.Style.IMMEDIATE);
    device.write(0, ByteBuffer.wrap(filled(8192)), 0, failure -> {});
    int expected = Integer.parseInt(code, 16);
    for (boolean write : new boolean[] {false, true}) {
      Ending ending = exchange(HEX.parseHex(cdb), new byte[0], 0, true, write);
      assertThat(ending.code()).as(name).isEqualTo(expected);
      assertThat(ending.status()).as(name).isEqualTo(expected == 0 ? 0 : 2);
    }
    assertThat(content(8192)).as(name).isEqualTo(filled(8192));
    ping();
  }

  private void check(Sent sent) throws Exception {
    byte[] before = filled(16 * BLOCK);
    device.write(0, ByteBuffer.wrap(before), 0, failure -> {});
    byte[] data = new byte[sent.expected()];
    Arrays.fill(data, (byte) 9);
    byte[] cdb =
        ByteBuffer.allocate(16)
            .put((byte) sent.opcode())
            .put((byte) (sent.opcode() == 0x8e ? 2 : 0))
            .putLong(1)
            .putInt(sent.blocks())
            .array();
    int needed = sent.blocks() * BLOCK;
    Ending ending = exchange(cdb, data, sent.immediate(), sent.isFinal(), sent.write());
    byte[] after = before.clone();
    if (sent.expected() < needed) {
      assertThat(ending)
          .as("%s", sent)
          .isEqualTo(
              new Ending(2, 5, INVALID_FIELD_IN_INFORMATION_UNIT, needed - sent.expected(), 0));
    } else {
      assertThat(ending).as("%s", sent).isEqualTo(new Ending(0, 0, 0, 0, sent.expected() - needed));
      Arrays.fill(after, BLOCK, BLOCK + needed, (byte) 9);
    }
    assertThat(content(before.length)).as("%s", sent).isEqualTo(after);
  }

  private void login(IscsiClient.Style style) throws IOException {
    wire = IscsiWire.login(endpoint, style);
    number = wire.firstCommand();
    assertThat(exchange(new byte[6], new byte[0], 0, true, false).key())
        .as("attention")
        .isEqualTo(6);
  }

  private Ending exchange(byte[] cdb, byte[] data, int immediate, boolean isFinal, boolean write)
      throws IOException {
    tag++;
    ByteBuffer block = ByteBuffer.wrap(Arrays.copyOf(cdb, 16));
    wire.send(
        new ScsiCommand(false, isFinal, false, write, 0, 0, tag, data.length, number++, 0, block),
        data,
        0,
        immediate);
    if (!isFinal && immediate < data.length) {
      int rest = data.length - immediate;
      wire.send(new DataOut(true, 0, tag, -1, 0, 0, immediate), data, immediate, rest);
    }
    Frame frame = wire.receive();
    while (frame.opcode() == ReadyToTransfer.OPCODE) {
      ReadyToTransfer asked = ReadyToTransfer.parse(frame.header());
      int from = (int) asked.offset();
      wire.send(
          new DataOut(true, 0, tag, asked.targetTag(), 0, 0, from), data, from, asked.length());
      frame = wire.receive();
    }
    assertThat(frame.opcode()).isEqualTo(ScsiResponse.OPCODE);
    return ending(ScsiResponse.parse(frame.header()), frame.data());
  }

  private static Ending ending(ScsiResponse response, ByteBuffer data) {
    boolean sense = data.remaining() >= 16;
    return new Ending(
        response.status(),
        sense ? data.get(data.position() + 4) & 0x0f : 0,
        sense ? data.getShort(data.position() + 14) & 0xffff : 0,
        response.overflow() ? response.residual() : 0,
        response.underflow() ? response.residual() : 0);
  }

  /** An unexpected response would arrive before this one. */
  private void ping() throws IOException {
    wire.send(new NopOut(true, 0, ++tag, -1, number, 0), new byte[0], 0, 0);
    assertThat(NopIn.parse(wire.receive().header()).tag()).isEqualTo(tag);
  }

  private byte[] content(int length) {
    ByteBuffer found = ByteBuffer.allocate(length);
    device.read(0, found, failure -> assertThat(failure).isNull());
    return found.array();
  }

  private static byte[] filled(int length) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) 7);
    return bytes;
  }
}
