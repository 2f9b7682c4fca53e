package dev.holdfast.frontend.nbd;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;

/** Byte streams of correct, defective and malicious clients. */
final class Streams {
  private static final byte[] EXPORT = "fuzzed".getBytes(StandardCharsets.UTF_8);

  private Streams() {}

  static byte[] clientFlags() {
    return new byte[] {0, 0, 0, 3};
  }

  /** The handshake up to the export, with simple, structured or extended replies. */
  static byte[] intoTransmission(int style) {
    byte[] negotiated =
        switch (style) {
          case 1 -> option(8, new byte[0]);
          case 2 -> option(11, new byte[0]);
          default -> new byte[0];
        };
    byte[] context =
        data(EXPORT, new byte[] {0, 0, 0, 1, 0, 0, 0, 5}, "base:".getBytes(StandardCharsets.UTF_8));
    return concat(
        List.of(
            clientFlags(),
            negotiated,
            option(10, context),
            option(7, data(EXPORT, new byte[] {0, 0}))));
  }

  static Arbitrary<byte[]> option() {
    Arbitrary<byte[]> sensible =
        Arbitraries.of(
            data(EXPORT, new byte[] {0, 0}),
            data(EXPORT, new byte[] {0, 2, 0, 1, 0, 3}),
            data(EXPORT, new byte[] {0, 0, 0, 0}),
            new byte[0],
            EXPORT);
    Arbitrary<byte[]> any = Arbitraries.bytes().array(byte[].class).ofMaxSize(60);
    return Combinators.combine(
            Arbitraries.integers().between(0, 14), Arbitraries.oneOf(sensible, any))
        .as(Streams::option);
  }

  static Arbitrary<byte[]> request(boolean extended) {
    Arbitrary<Long> numbers =
        Arbitraries.oneOf(
            Arbitraries.longs().between(0, 300_000),
            Arbitraries.of(-1L, Long.MIN_VALUE, Long.MAX_VALUE, 0xffffffffL, 33_554_433L));
    return Combinators.combine(
            Arbitraries.integers().between(0, 9),
            Arbitraries.integers().between(0, 70),
            numbers,
            numbers,
            Arbitraries.bytes().array(byte[].class).ofMaxSize(200))
        .as(
            (type, flags, offset, length, data) ->
                request(extended, type, flags, offset, length, data));
  }

  static Arbitrary<byte[]> mutated(Arbitrary<byte[]> streams) {
    Arbitrary<List<Integer>> places = Arbitraries.integers().between(0, 1000).list().ofMaxSize(4);
    return Combinators.combine(streams, places, Arbitraries.bytes())
        .as(
            (stream, changed, value) -> {
              byte[] copy = stream.clone();
              for (int place : changed) {
                if (copy.length > 0) {
                  copy[place % copy.length] ^= value;
                }
              }
              return copy;
            });
  }

  static Arbitrary<byte[]> garbage() {
    return Arbitraries.bytes().array(byte[].class).ofMaxSize(300);
  }

  static byte[] concat(List<byte[]> parts) {
    ByteArrayOutputStream whole = new ByteArrayOutputStream();
    parts.forEach(whole::writeBytes);
    return whole.toByteArray();
  }

  /** Reads a stored stream: hexadecimal digits, with comments after a number sign. */
  static byte[] parse(String text) {
    return HexFormat.of().parseHex(text.replaceAll("#.*", "").replaceAll("\\s", ""));
  }

  private static byte[] request(
      boolean extended, int type, int flags, long offset, long length, byte[] data) {
    ByteBuffer header = ByteBuffer.allocate((extended ? 32 : 28) + data.length);
    header.putInt(extended ? 0x21e41c71 : 0x25609513);
    header.putShort((short) flags).putShort((short) type).putLong(99).putLong(offset);
    if (extended) {
      header.putLong(length);
    } else {
      header.putInt((int) length);
    }
    return header.put(data).array();
  }

  private static byte[] option(int number, byte[] data) {
    return ByteBuffer.allocate(16 + data.length)
        .putLong(0x49484156454f5054L)
        .putInt(number)
        .putInt(data.length)
        .put(data)
        .array();
  }

  private static byte[] data(byte[] export, byte[]... rest) {
    ByteBuffer length = ByteBuffer.allocate(4).putInt(export.length);
    return concat(List.of(length.array(), export, concat(List.of(rest))));
  }
}
