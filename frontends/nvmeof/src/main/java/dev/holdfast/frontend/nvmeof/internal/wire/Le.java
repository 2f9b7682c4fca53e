package dev.holdfast.frontend.nvmeof.internal.wire;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Little-endian access at absolute indexes, independent of a buffer's byte order, because the
 * portal reuses the buffers.
 */
public final class Le {
  private static final VarHandle SHORTS = view(short[].class);
  private static final VarHandle INTS = view(int[].class);
  private static final VarHandle LONGS = view(long[].class);

  private Le() {}

  private static VarHandle view(Class<?> type) {
    return MethodHandles.byteBufferViewVarHandle(type, ByteOrder.LITTLE_ENDIAN);
  }

  /** Returns a byte, unsigned. */
  public static int u8(ByteBuffer buffer, int at) {
    return buffer.get(at) & 0xff;
  }

  /** Returns two bytes, unsigned. */
  public static int u16(ByteBuffer buffer, int at) {
    return (short) SHORTS.get(buffer, at) & 0xffff;
  }

  /** Returns four bytes, signed. */
  public static int i32(ByteBuffer buffer, int at) {
    return (int) INTS.get(buffer, at);
  }

  /** Returns four bytes, unsigned. */
  public static long u32(ByteBuffer buffer, int at) {
    return (int) INTS.get(buffer, at) & 0xffffffffL;
  }

  /** Returns eight bytes, signed. */
  public static long i64(ByteBuffer buffer, int at) {
    return (long) LONGS.get(buffer, at);
  }

  /** Puts a byte. */
  public static void put8(ByteBuffer buffer, int at, int value) {
    buffer.put(at, (byte) value);
  }

  /** Puts two bytes. */
  public static void put16(ByteBuffer buffer, int at, int value) {
    SHORTS.set(buffer, at, (short) value);
  }

  /** Puts four bytes. */
  public static void put32(ByteBuffer buffer, int at, long value) {
    INTS.set(buffer, at, (int) value);
  }

  /** Puts eight bytes. */
  public static void put64(ByteBuffer buffer, int at, long value) {
    LONGS.set(buffer, at, value);
  }

  /** Writes ASCII, padded with spaces, truncated at the end of the field. */
  public static void putAscii(ByteBuffer buffer, int at, int length, String text) {
    byte[] field = new byte[length];
    Arrays.fill(field, (byte) ' ');
    byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
    System.arraycopy(bytes, 0, field, 0, Math.min(length, bytes.length));
    buffer.put(at, field);
  }

  /** Writes UTF-8, padded with zeroes; must fit together with one zero. */
  public static void putName(ByteBuffer buffer, int at, int length, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    if (bytes.length >= length) {
      throw new IllegalArgumentException("'" + text + "' is longer than its field");
    }
    buffer.put(at, Arrays.copyOf(bytes, length));
  }

  /** Returns the UTF-8 text before a field's first zero. */
  public static String name(ByteBuffer buffer, int at, int length) {
    byte[] field = bytes(buffer, at, length);
    int end = 0;
    while (end < length && field[end] != 0) {
      end++;
    }
    return new String(field, 0, end, StandardCharsets.UTF_8);
  }

  /** Returns a copy of some bytes. */
  public static byte[] bytes(ByteBuffer buffer, int at, int length) {
    byte[] bytes = new byte[length];
    buffer.get(at, bytes);
    return bytes;
  }

  /** Zeroes a range. */
  public static void clear(ByteBuffer buffer, int at, int length) {
    for (int i = at; i < at + length; i++) {
      buffer.put(i, (byte) 0);
    }
  }
}
