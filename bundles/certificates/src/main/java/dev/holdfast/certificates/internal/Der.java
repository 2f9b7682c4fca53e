package dev.holdfast.certificates.internal;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/** Writes the few ASN.1 DER values of which an X.509 certificate consists (X.690). */
final class Der {
  private static final int CONTEXT = 0x80;
  private static final int CONSTRUCTED = 0x20;
  private static final int FIRST_YEAR_OF_GENERALIZED_TIME = 2050;
  private static final DateTimeFormatter UTC_TIME =
      DateTimeFormatter.ofPattern("yyMMddHHmmss'Z'").withZone(ZoneOffset.UTC);
  private static final DateTimeFormatter GENERALIZED_TIME =
      DateTimeFormatter.ofPattern("yyyyMMddHHmmss'Z'").withZone(ZoneOffset.UTC);

  private Der() {}

  static byte[] sequence(byte[]... elements) {
    return value(0x10 | CONSTRUCTED, concat(elements));
  }

  static byte[] set(byte[]... elements) {
    return value(0x11 | CONSTRUCTED, concat(elements));
  }

  static byte[] integer(BigInteger number) {
    return value(0x02, number.toByteArray());
  }

  static byte[] trueValue() {
    return value(0x01, new byte[] {(byte) 0xff});
  }

  static byte[] nullValue() {
    return value(0x05, new byte[0]);
  }

  static byte[] bitString(byte[] bits, int unusedBits) {
    return value(0x03, concat(new byte[] {(byte) unusedBits}, bits));
  }

  static byte[] octetString(byte[] octets) {
    return value(0x04, octets);
  }

  static byte[] utf8(String text) {
    return value(0x0c, text.getBytes(StandardCharsets.UTF_8));
  }

  /** A certificate's date: two-digit years until 2049, as RFC 5280 wants it. */
  static byte[] time(Instant instant) {
    boolean late = instant.atZone(ZoneOffset.UTC).getYear() >= FIRST_YEAR_OF_GENERALIZED_TIME;
    DateTimeFormatter format = late ? GENERALIZED_TIME : UTC_TIME;
    return value(late ? 0x18 : 0x17, format.format(instant).getBytes(StandardCharsets.US_ASCII));
  }

  static byte[] oid(String dotted) {
    String[] parts = dotted.split("\\.", -1);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    writeBase128(out, Long.parseLong(parts[0]) * 40 + Long.parseLong(parts[1]));
    for (int i = 2; i < parts.length; i++) {
      writeBase128(out, Long.parseLong(parts[i]));
    }
    return value(0x06, out.toByteArray());
  }

  private static void writeBase128(ByteArrayOutputStream out, long number) {
    int shift = 0;
    while (number >> (shift + 7) != 0) {
      shift += 7;
    }
    for (; shift > 0; shift -= 7) {
      out.write((int) ((number >> shift) & 0x7f) | 0x80);
    }
    out.write((int) (number & 0x7f));
  }

  /** A context-specific value that wraps others. */
  static byte[] explicit(int tag, byte[] content) {
    return value(CONTEXT | CONSTRUCTED | tag, content);
  }

  /** A context-specific value that replaces the tag of a primitive one. */
  static byte[] implicit(int tag, byte[] content) {
    return value(CONTEXT | tag, content);
  }

  static byte[] concat(byte[]... parts) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      out.writeBytes(part);
    }
    return out.toByteArray();
  }

  private static byte[] value(int tag, byte[] content) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(tag);
    if (content.length < 0x80) {
      out.write(content.length);
    } else {
      byte[] length = BigInteger.valueOf(content.length).toByteArray();
      int skip = length[0] == 0 ? 1 : 0;
      out.write(0x80 | (length.length - skip));
      out.write(length, skip, length.length - skip);
    }
    out.writeBytes(content);
    return out.toByteArray();
  }
}
