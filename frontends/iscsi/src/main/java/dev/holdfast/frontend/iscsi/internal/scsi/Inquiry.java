package dev.holdfast.frontend.iscsi.internal.scsi;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Standard INQUIRY data and the list of vital product data pages (SPC-4, 6.6). */
final class Inquiry {
  static final String VENDOR = "HOLDFAST";
  private static final String PRODUCT = "VOLUME";
  private static final String REVISION = "1";
  private static final int STANDARD_LENGTH = 96;
  private static final int[] VERSIONS = {0x00a0, 0x0960, 0x0460, 0x04c0};

  private Inquiry() {}

  static Plan plan(Cdb cdb, Volume volume) throws CommandException {
    boolean vital = cdb.bit(1, 0x01);
    if (cdb.bit(1, 0xfe) || (!vital && cdb.u8(2) != 0)) {
      throw CommandException.of(Sense.INVALID_FIELD);
    }
    byte[] data = vital ? VpdPages.page(cdb.u8(2), volume) : standard(true);
    return Plan.now((task, none) -> task.answer(data, cdb.u16(3)));
  }

  /** Returns standard data, also for an absent logical unit. */
  static byte[] standard(boolean present) {
    ByteBuffer data = ByteBuffer.allocate(STANDARD_LENGTH);
    data.put(0, (byte) (present ? 0x00 : 0x7f));
    data.put(2, (byte) 0x06); // SPC-4
    data.put(3, (byte) 0x12); // HISUP, response data format 2
    data.put(4, (byte) (STANDARD_LENGTH - 5));
    data.put(5, (byte) 0x10); // implicit asymmetric access
    data.put(7, (byte) 0x02); // command queuing
    text(data, 8, 8, VENDOR);
    text(data, 16, 16, PRODUCT);
    text(data, 32, 4, REVISION);
    for (int i = 0; i < VERSIONS.length; i++) {
      data.putShort(58 + 2 * i, (short) VERSIONS[i]);
    }
    return data.array();
  }

  /** Writes text, padded with spaces. */
  static void text(ByteBuffer data, int at, int length, String text) {
    byte[] field = new byte[length];
    Arrays.fill(field, (byte) ' ');
    byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
    System.arraycopy(bytes, 0, field, 0, Math.min(length, bytes.length));
    data.put(at, field);
  }
}
