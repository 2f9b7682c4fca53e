package dev.holdfast.frontend.nvmeof.internal.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Byte layouts of the specifications. */
final class WireTest {
  private final ByteBuffer buffer = ByteBuffer.allocate(2048).put(0, filled());

  /** A record must zero the fields that it does not write, so the buffer starts filled. */
  private static byte[] filled() {
    byte[] bytes = new byte[2048];
    java.util.Arrays.fill(bytes, (byte) 0xee);
    return bytes;
  }

  @Test
  void icRequest() {
    IcRequest request = new IcRequest(0x0102, 31, 3, 0x04030201);
    request.put(buffer, 4);
    assertThat(hex(4, 16)).isEqualTo("0000800080000000" + "02011f0301020304");
    assertThat(hex(20, 112)).isEqualTo("00".repeat(112));
    assertThat(IcRequest.parse(buffer, 4)).isEqualTo(request);
  }

  @Test
  void icResponse() {
    IcResponse response = new IcResponse(0, 4, 1, 0x100000);
    response.put(buffer, 0);
    assertThat(hex(0, 16)).isEqualTo("0100800080000000" + "0000040100001000");
    assertThat(hex(16, 112)).isEqualTo("00".repeat(112));
    assertThat(IcResponse.parse(buffer, 0)).isEqualTo(response);
  }

  @Test
  void commonHeader() {
    PduHeader header = new PduHeader(4, 3, 72, 80, 0xfedcba98L);
    header.put(buffer, 1);
    assertThat(hex(1, 8)).isEqualTo("0403485098badcfe");
    assertThat(PduHeader.parse(buffer, 1)).isEqualTo(header);
    assertThat(header.has(PduType.DATA_DIGEST)).isTrue();
    assertThat(header.has(PduType.LAST)).isFalse();
  }

  @Test
  void dataAndReadyToTransfer() {
    DataHeader header = new DataHeader(0x1234, 0xfffe, 0x80000001L, 0x10000);
    header.put(buffer, 0);
    assertThat(hex(8, 16)).isEqualTo("3412feff" + "01000080" + "00000100" + "00000000");
    assertThat(DataHeader.parse(buffer, 0)).isEqualTo(header);
  }

  @Test
  void terminationRepeatsTheHeaderThatIsToBlame() {
    int length = new TermRequest(3, 0xa1b2c3d4L).put(buffer, 0, new byte[] {7, 8});
    assertThat(length).isEqualTo(26);
    assertThat(hex(0, 26))
        .isEqualTo("030018001a000000" + "0300d4c3b2a1" + "00".repeat(10) + "0708");
    assertThat(TermRequest.parse(buffer, 0)).isEqualTo(new TermRequest(3, 0xa1b2c3d4L));
  }

  @Test
  void command() {
    Command read =
        new Command(
            0x02, 0x40, 0xbeef, 1, new Sgl(0, 4096, 0x5a), 0x89abcdef, 0x01234567, 7, 0, 0, 9);
    read.put(buffer, 0);
    assertThat(hex(0, 8)).isEqualTo("0240efbe01000000");
    assertThat(hex(8, 16)).isEqualTo("00".repeat(16));
    assertThat(hex(24, 16)).isEqualTo("0000000000000000" + "00100000" + "0000005a");
    assertThat(hex(40, 24)).isEqualTo("efcdab89674523010700000000000000" + "0000000009000000");
    assertThat(Command.parse(buffer, 0)).isEqualTo(read);
    assertThat(read.cdw10And11()).isEqualTo(0x0123456789abcdefL);
    assertThat(read.fromHost()).isZero();
  }

  @Test
  void directionOfFabricsCommandsIsThatOfTheirType() {
    Sgl data = new Sgl(0, 1024, 0x01);
    Command connect = new Command(0x7f, 0x40, 1, 0x01, data, 0, 0, 0, 0, 0, 0);
    Command get = new Command(0x7f, 0x40, 1, 0x04, data, 0, 0, 0, 0, 0, 0);
    assertThat(connect.fromHost()).isEqualTo(1024);
    assertThat(get.fromHost()).isZero();
  }

  @Test
  void completion() {
    CompletionEntry entry = new CompletionEntry(0x1122334455667788L, 5, 0xabcd, 0x4182);
    entry.put(buffer, 0);
    assertThat(hex(0, 16)).isEqualTo("8877665544332211" + "05000000" + "cdab0483");
    assertThat(CompletionEntry.parse(buffer, 0)).isEqualTo(entry);
  }

  @Test
  void connectData() {
    UUID host = UUID.fromString("00112233-4455-6677-8899-aabbccddeeff");
    ConnectData data = new ConnectData(host, 0xffff, "nqn.subsystem", "nqn.host");
    data.put(buffer, 0);
    assertThat(hex(0, 18)).isEqualTo("00112233445566778899aabbccddeeff" + "ffff");
    assertThat(text(256, 14)).isEqualTo("nqn.subsystem\0");
    assertThat(text(512, 9)).isEqualTo("nqn.host\0");
    assertThat(hex(768, 256)).isEqualTo("00".repeat(256));
    assertThat(ConnectData.parse(buffer, 0)).isEqualTo(data);
  }

  /** The example of RFC 3720, B.4, to which the transport specification refers. */
  @Test
  void digestOf32ZeroesMatchesThePublishedValue() {
    ByteBuffer zeroes = ByteBuffer.allocate(36);
    Digest.append(zeroes, 0, 32);
    assertThat(HexFormat.of().formatHex(zeroes.array(), 32, 36)).isEqualTo("aa36918a");
    assertThat(Digest.matches(zeroes, 0, 32)).isTrue();
    zeroes.put(31, (byte) 1);
    assertThat(Digest.matches(zeroes, 0, 32)).isFalse();
  }

  @Test
  void orderOfTheBufferDoesNotMatter() {
    buffer.order(ByteOrder.LITTLE_ENDIAN);
    Le.put32(buffer, 3, 0x01020304);
    assertThat(hex(3, 4)).isEqualTo("04030201");
    assertThat(Le.u16(buffer, 3)).isEqualTo(0x0304);
  }

  private String hex(int at, int length) {
    return HexFormat.of().formatHex(buffer.array(), at, at + length);
  }

  private String text(int at, int length) {
    return new String(buffer.array(), at, length, StandardCharsets.UTF_8);
  }
}
