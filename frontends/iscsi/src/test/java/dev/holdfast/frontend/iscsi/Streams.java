package dev.holdfast.frontend.iscsi;

import dev.holdfast.frontend.iscsi.internal.login.TextKeys;
import dev.holdfast.frontend.iscsi.internal.pdu.Digests;
import dev.holdfast.frontend.iscsi.internal.pdu.LoginRequest;
import dev.holdfast.frontend.iscsi.internal.pdu.Pdu;
import dev.holdfast.frontend.iscsi.internal.pdu.PduTrailer;
import dev.holdfast.frontend.iscsi.internal.pdu.ScsiCommand;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/** Byte streams of initiators. */
final class Streams {
  private Streams() {}

  /** A login, followed by other bytes. */
  static byte[] afterLogin(byte[] rest) {
    return concat(login(Map.of()), rest);
  }

  /** A login that completes with one request. */
  static byte[] login(Map<String, String> more) {
    Map<String, String> keys = new LinkedHashMap<>();
    keys.put("InitiatorName", "iqn.2026-01.test:fuzz");
    keys.put("TargetName", "iqn.2026-01.dev.holdfast:fuzzed");
    keys.put("InitialR2T", "No");
    keys.putAll(more);
    return pdu(
        new LoginRequest(true, false, 1, 3, 0, 0, 0x800000000001L, 0, 0, 0, 1, 0),
        TextKeys.write(keys));
  }

  /** A command with immediate data. */
  static byte[] command(int number, byte[] cdb, byte[] data, int expectedIn) {
    return pdu(
        new ScsiCommand(
            false,
            true,
            expectedIn > 0,
            data.length > 0,
            0,
            0,
            number,
            Math.max(expectedIn, data.length),
            number,
            0,
            ByteBuffer.wrap(Arrays.copyOf(cdb, 16))),
        data);
  }

  static byte[] pdu(Pdu pdu, byte[] data) {
    ByteBuffer out = ByteBuffer.allocate(Digests.NONE.total(data.length));
    pdu.write(out);
    out.put(Digests.NONE.dataAt(), data);
    PduTrailer.data(out, Digests.NONE, data.length);
    return out.array();
  }

  static byte[] concat(byte[]... parts) {
    ByteArrayOutputStream whole = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      whole.writeBytes(part);
    }
    return whole.toByteArray();
  }
}
