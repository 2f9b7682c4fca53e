package dev.holdfast.support.internal.pack;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;

/** Writes files as a tar archive in the format of POSIX.1-1988 (ustar). Thread-safe. */
final class TarWriter {
  private static final int BLOCK = 512;
  private static final int NAME = 100;
  private static final int PREFIX = 155;
  private static final int CHECKSUM_AT = 148;
  private static final int CHECKSUM = 8;
  private static final int MODE = 0600;

  private final OutputStream out;

  TarWriter(OutputStream out) {
    this.out = out;
  }

  /**
   * Writes a file.
   *
   * @param name relative path with slashes
   */
  synchronized void entry(String name, byte[] content, Instant time) throws IOException {
    byte[] header = new byte[BLOCK];
    byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
    int split = split(bytes);
    put(header, 0, Arrays.copyOfRange(bytes, split == 0 ? 0 : split + 1, bytes.length));
    octal(header, 100, 8, MODE);
    octal(header, 108, 8, 0);
    octal(header, 116, 8, 0);
    octal(header, 124, 12, content.length);
    octal(header, 136, 12, time.getEpochSecond());
    header[156] = '0';
    put(header, 257, "ustar\u000000".getBytes(StandardCharsets.US_ASCII));
    put(header, 345, Arrays.copyOf(bytes, split));
    Arrays.fill(header, CHECKSUM_AT, CHECKSUM_AT + CHECKSUM, (byte) ' ');
    int sum = 0;
    for (byte each : header) {
      sum += each & 0xff;
    }
    octal(header, CHECKSUM_AT, CHECKSUM - 1, sum);
    out.write(header);
    out.write(content);
    out.write(new byte[(BLOCK - content.length % BLOCK) % BLOCK]);
  }

  /**
   * Returns the position at which a long name is divided into prefix and name; 0 if it is short.
   */
  private static int split(byte[] name) throws IOException {
    if (name.length <= NAME) {
      return 0;
    }
    for (int at = name.length - NAME - 1; at <= PREFIX && at < name.length; at++) {
      if (at > 0 && name[at] == '/') {
        return at;
      }
    }
    throw new IOException(
        new String(name, StandardCharsets.UTF_8) + ": the name is too long for the archive");
  }

  private static void put(byte[] header, int at, byte[] bytes) {
    System.arraycopy(bytes, 0, header, at, bytes.length);
  }

  private static void octal(byte[] header, int at, int length, long value) {
    String digits = String.format("%0" + (length - 1) + "o", value);
    put(header, at, digits.getBytes(StandardCharsets.US_ASCII));
  }

  /** Ends the archive and flushes it. */
  synchronized void finish() throws IOException {
    out.write(new byte[2 * BLOCK]);
    out.flush();
  }

  /** Flushes buffered data. */
  synchronized void flush() throws IOException {
    out.flush();
  }
}
