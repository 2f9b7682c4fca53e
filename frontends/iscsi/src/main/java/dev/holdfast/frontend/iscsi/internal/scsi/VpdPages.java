package dev.holdfast.frontend.iscsi.internal.scsi;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;

/** The pages of vital product data (SPC-4, 7.8; SBC-3, 6.6). */
final class VpdPages {
  private static final int[] PAGES = {0x00, 0x80, 0x83, 0xb0, 0xb1, 0xb2};
  private static final int HEADER = 4;

  private VpdPages() {}

  static byte[] page(int code, Volume volume) throws CommandException {
    return switch (code) {
      case 0x00 -> supported();
      case 0x80 -> page(code, serial(volume).getBytes(StandardCharsets.US_ASCII));
      case 0x83 -> page(code, identification(volume));
      case 0xb0 -> page(code, limits(volume));
      case 0xb1 -> page(code, ByteBuffer.allocate(60).putShort(0, (short) 1).array());
      case 0xb2 -> page(code, provisioning());
      default -> throw CommandException.of(Sense.INVALID_FIELD);
    };
  }

  private static byte[] page(int code, byte[] content) {
    ByteBuffer page = ByteBuffer.allocate(HEADER + content.length);
    return page.put((byte) 0)
        .put((byte) code)
        .putShort((short) content.length)
        .put(content)
        .array();
  }

  private static byte[] supported() {
    byte[] codes = new byte[PAGES.length];
    for (int i = 0; i < codes.length; i++) {
      codes[i] = (byte) PAGES[i];
    }
    return page(0x00, codes);
  }

  static String serial(Volume volume) {
    return HexFormat.of().formatHex(digest(volume.name()), 0, 8);
  }

  private static byte[] identification(Volume volume) {
    byte[] naa = Arrays.copyOf(digest(volume.name()), 8);
    naa[0] = (byte) (0x30 | (naa[0] & 0x0f)); // locally assigned
    ByteBuffer vendor = ByteBuffer.allocate(8 + volume.name().length());
    Inquiry.text(vendor, 0, 8, Inquiry.VENDOR);
    Inquiry.text(vendor, 8, volume.name().length(), volume.name());
    ByteBuffer data = ByteBuffer.allocate(1024);
    designator(data, 0x01, 0x03, naa);
    designator(data, 0x02, 0x01, vendor.array());
    designator(data, 0x51, 0x94, new byte[] {0, 0, 0, 1}); // relative target port
    designator(data, 0x51, 0x95, new byte[] {0, 0, 0, 1}); // target port group
    designator(data, 0x53, 0x98, name(volume.target() + ",t,0x0001"));
    return Arrays.copyOf(data.array(), data.position());
  }

  private static void designator(ByteBuffer data, int protocolAndCode, int type, byte[] value) {
    data.put((byte) protocolAndCode).put((byte) type).put((byte) 0).put((byte) value.length);
    data.put(value);
  }

  /** A SCSI name string: zero-terminated, padded to a multiple of four. */
  static byte[] name(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return Arrays.copyOf(bytes, (bytes.length + Integer.BYTES) & -Integer.BYTES);
  }

  private static byte[] limits(Volume volume) {
    int granularity = 1 << volume.physicalExponent();
    ByteBuffer data = ByteBuffer.allocate(60);
    data.put(0, (byte) 1); // a WRITE SAME has a length
    data.put(1, (byte) 255); // COMPARE AND WRITE
    data.putShort(2, (short) granularity);
    data.putInt(4, Extent.LARGEST / Volume.BLOCK);
    data.putInt(8, (1 << 20) / Volume.BLOCK);
    data.putInt(16, -1); // blocks of an UNMAP: any
    data.putInt(20, Provisioning.MOST_RANGES);
    data.putInt(24, granularity);
    data.putInt(28, 0x80000000); // which begins at block 0
    data.putLong(32, Provisioning.LARGEST_SAME);
    return data.array();
  }

  private static byte[] provisioning() {
    // Supports UNMAP and both WRITE SAME; unmapped blocks read as zeroes; thin.
    return new byte[] {0, (byte) 0xe4, 0x02, 0};
  }

  private static byte[] digest(String name) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(name.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
