package dev.holdfast.frontend.nvmeof;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A host that violates the transport's rules receives the reason and loses only its connection. */
final class NvmeTransportTest extends NvmeTestBase {
  private static final int INVALID_FIELD = 1;
  private static final int SEQUENCE = 2;
  private static final int HEADER_DIGEST = 3;
  private static final int OUT_OF_RANGE = 4;
  private static final int LIMIT = 5;

  @Test
  void wrongHeadersEndTheConnection() throws Exception {
    assertEnds(pdu(9, 0, 24, 0, 24, 24), INVALID_FIELD);
    assertEnds(pdu(4, 0, 71, 0, 72, 72), INVALID_FIELD);
    assertEnds(pdu(4, 1, 72, 0, 72, 72), INVALID_FIELD);
    assertEnds(pdu(4, 0, 72, 40, 100, 100), INVALID_FIELD);
    assertEnds(pdu(4, 0, 72, 72, 1 << 20, 8), LIMIT);
    assertEnds(pdu(6, 0, 24, 24, Integer.MAX_VALUE, 8), LIMIT);
    assertEnds(pdu(0, 0, 128, 0, 128, 128), SEQUENCE);
    assertEnds(pdu(0xff, 0, 8, 0, 8, 8), INVALID_FIELD);
  }

  @Test
  void unsolicitedDataEndsTheConnection() throws Exception {
    assertEnds(pdu(6, 4, 24, 24, 24 + 512, 24 + 512), INVALID_FIELD);
  }

  @Test
  void dataOutsideOfTheRequestEndTheConnection() throws Exception {
    HostQueue io = io();
    // A Write that needs an R2T; the test keeps the client's own reply to the R2T from being sent.
    byte[] capsule = capsule(Entry.io(0x01, 0, 64).descriptor(0x5a, 64 * BLOCK), 900);
    io.raw(capsule);
    ByteBuffer data = ByteBuffer.wrap(pdu(6, 4, 24, 24, 24 + 512, 24 + 512));
    data.order(ByteOrder.LITTLE_ENDIAN).putShort(8, (short) 900).putShort(10, (short) 900);
    data.putInt(12, 4096).putInt(16, 512);
    io.raw(data.array());
    // The client ends the connection at the R2T because it does not know the command.
    assertThat(io.terminated().handle((status, lost) -> status == null ? -1 : status))
        .succeedsWithin(java.time.Duration.ofSeconds(20))
        .isIn(OUT_OF_RANGE, -1);
    get(io().send(Entry.io(0x02, 0, 1), BLOCK)).orThrow();
  }

  private static byte[] capsule(Entry entry, int id) {
    ByteBuffer capsule = ByteBuffer.wrap(pdu(4, 0, 72, 0, 72, 72));
    return capsule.put(8, entry.bytes(id)).array();
  }

  @Test
  void wrongDigestOfAHeaderEndsTheConnection() throws Exception {
    Host careful = Host.of(HostOptions.CAREFUL);
    HostQueue io = io(careful, admin(careful, 0));
    io.raw(pdu(4, 1, 72, 0, 76, 76));
    assertThat(io.terminated().get(20, TimeUnit.SECONDS)).isEqualTo(HEADER_DIGEST);
  }

  @Test
  void wrongDigestOfDataFailsTheCommandOnly() throws Exception {
    Host careful = Host.of(HostOptions.CAREFUL);
    HostQueue io = io(careful, admin(careful, 0));
    var write = io.sendDamaged(Entry.io(0x01, 0, 1), random(BLOCK, 1));
    Outcome outcome = get(write);
    assertThat(outcome.status()).isEqualTo(0x22);
    assertThat(outcome.retry()).isTrue();
    get(io.send(Entry.io(0x01, 0, 1), random(BLOCK, 1))).orThrow();
    assertThat(get(io.send(Entry.io(0x02, 0, 1), BLOCK)).data()).isEqualTo(random(BLOCK, 1));
  }

  @Test
  void descriptorsThatTcpDoesNotHaveAreRefused() throws Exception {
    HostQueue io = io();
    var read = io.sendRaw(Entry.io(0x02, 0, 1).descriptor(0x40, BLOCK));
    assertThat(get(read).status()).isEqualTo(0x11);
    var write = io.sendRaw(Entry.io(0x01, 0, 1).descriptor(0x01, BLOCK));
    assertThat(get(write).status()).as("no data in the capsule").isEqualTo(0x0f);
    var large = io.sendRaw(Entry.io(0x01, 0, 1).descriptor(0x5a, 2 << 20));
    assertThat(get(large).status()).isEqualTo(0x02);
  }

  private void assertEnds(byte[] pdu, int status) throws Exception {
    HostQueue io = io();
    io.raw(pdu);
    assertThat(io.terminated().get(20, TimeUnit.SECONDS)).isEqualTo(status);
  }

  private static byte[] pdu(int type, int flags, int header, int offset, int length, int sent) {
    ByteBuffer pdu = ByteBuffer.allocate(sent).order(ByteOrder.LITTLE_ENDIAN);
    pdu.put(0, (byte) type).put(1, (byte) flags).put(2, (byte) header).put(3, (byte) offset);
    return pdu.putInt(4, length).array();
  }
}
