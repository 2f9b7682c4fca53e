package dev.holdfast.frontend.iscsi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.frontend.iscsi.internal.pdu.AsyncMessage;
import dev.holdfast.frontend.iscsi.internal.pdu.DataIn;
import dev.holdfast.frontend.iscsi.internal.pdu.DataOut;
import dev.holdfast.frontend.iscsi.internal.pdu.Digests;
import dev.holdfast.frontend.iscsi.internal.pdu.Frame;
import dev.holdfast.frontend.iscsi.internal.pdu.LoginRequest;
import dev.holdfast.frontend.iscsi.internal.pdu.LoginResponse;
import dev.holdfast.frontend.iscsi.internal.pdu.LogoutRequest;
import dev.holdfast.frontend.iscsi.internal.pdu.LogoutResponse;
import dev.holdfast.frontend.iscsi.internal.pdu.NopIn;
import dev.holdfast.frontend.iscsi.internal.pdu.NopOut;
import dev.holdfast.frontend.iscsi.internal.pdu.Pdu;
import dev.holdfast.frontend.iscsi.internal.pdu.PduTrailer;
import dev.holdfast.frontend.iscsi.internal.pdu.ReadyToTransfer;
import dev.holdfast.frontend.iscsi.internal.pdu.Reject;
import dev.holdfast.frontend.iscsi.internal.pdu.ScsiCommand;
import dev.holdfast.frontend.iscsi.internal.pdu.ScsiResponse;
import dev.holdfast.frontend.iscsi.internal.pdu.TaskRequest;
import dev.holdfast.frontend.iscsi.internal.pdu.TaskResponse;
import dev.holdfast.frontend.iscsi.internal.pdu.TextRequest;
import dev.holdfast.frontend.iscsi.internal.pdu.TextResponse;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Headers, frames and digests. */
final class PduTest {
  /** RFC 7143, appendix A.4: a SCSI Read (10) command and its CRC. */
  private static final String READ =
      "01c00000000000000000000000000000140000000000040000000014000000182800000000000000"
          + "0200000000000000";

  private static final String READ_CRC = "563a96d9";

  static Stream<Function<ByteBuffer, Pdu>> parsers() {
    return Stream.of(
        AsyncMessage::parse,
        DataIn::parse,
        DataOut::parse,
        LoginRequest::parse,
        LoginResponse::parse,
        LogoutRequest::parse,
        LogoutResponse::parse,
        NopIn::parse,
        NopOut::parse,
        ReadyToTransfer::parse,
        Reject::parse,
        ScsiCommand::parse,
        ScsiResponse::parse,
        TaskRequest::parse,
        TaskResponse::parse,
        TextRequest::parse,
        TextResponse::parse);
  }

  @ParameterizedTest
  @MethodSource("parsers")
  void encodedPdusAreDecoded(Function<ByteBuffer, Pdu> parser) {
    byte[] bytes = new byte[48];
    Random random = new Random(1);
    for (int i = 0; i < 100; i++) {
      random.nextBytes(bytes);
      Pdu pdu = parser.apply(ByteBuffer.wrap(bytes));
      ByteBuffer written = ByteBuffer.allocate(48);
      pdu.write(written);
      assertThat(parser.apply(written)).isEqualTo(pdu);
    }
  }

  @Test
  void readsTheStandardsCommandAndItsDigest() {
    ByteBuffer input = ByteBuffer.wrap(HexFormat.of().parseHex(READ + READ_CRC));
    Frame frame = new Frame();
    assertThat(frame.find(input, new Digests(true, true), 0)).isEqualTo(Frame.Found.WHOLE);
    assertThat(frame.headerIntact()).isTrue();
    assertThat(frame.dataIntact()).isTrue();
    ScsiCommand command = ScsiCommand.parse(frame.header());
    assertThat(command.read()).isTrue();
    assertThat(command.expected()).isEqualTo(1024);
    assertThat(command.cmdSn()).isEqualTo(20);
    assertThat(command.cdb().get(0)).isEqualTo((byte) 0x28);
    ByteBuffer out = ByteBuffer.allocate(52);
    command.write(out);
    PduTrailer.data(out, new Digests(true, true), 0);
    PduTrailer.header(out, new Digests(true, true));
    assertThat(HexFormat.of().formatHex(out.array())).isEqualTo(READ + READ_CRC);
  }

  @Test
  void findsWhereAPduEnds() {
    ByteBuffer out = ByteBuffer.allocate(100);
    Digests digests = new Digests(true, true);
    new NopOut(false, 0, 1, -1, 1, 1).write(out);
    out.put(digests.dataAt(), new byte[] {1, 2, 3, 4, 5});
    PduTrailer.data(out, digests, 5);
    PduTrailer.header(out, digests);
    assertThat(out.position()).isEqualTo(48 + 4 + 8 + 4);
    byte[] whole = new byte[out.position()];
    out.get(0, whole);
    Frame frame = new Frame();
    for (int length = 0; length < whole.length; length++) {
      ByteBuffer part = ByteBuffer.wrap(whole, 0, length);
      assertThat(frame.find(part, digests, 8)).isEqualTo(Frame.Found.PART);
      assertThat(frame.needed()).isGreaterThan(length);
    }
    ByteBuffer input = ByteBuffer.wrap(whole);
    assertThat(frame.find(input, digests, 4)).isEqualTo(Frame.Found.TOO_LARGE);
    assertThat(frame.find(input, digests, 5)).isEqualTo(Frame.Found.WHOLE);
    assertThat(frame.dataLength()).isEqualTo(5);
    assertThat(frame.dataIntact()).isTrue();
    whole[52] ^= 1;
    assertThat(frame.dataIntact()).isFalse();
    assertThat(frame.headerIntact()).isTrue();
    whole[20] ^= 1;
    assertThat(frame.headerIntact()).isFalse();
    frame.consume();
    assertThat(input.hasRemaining()).isFalse();
  }
}
