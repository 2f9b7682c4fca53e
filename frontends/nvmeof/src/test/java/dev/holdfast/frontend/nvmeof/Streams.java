package dev.holdfast.frontend.nvmeof;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;

/** Byte streams of correct, defective and malicious hosts. */
final class Streams {
  static final String EXPORT = "fuzzed";
  static final String SUBSYSTEM = "nqn.2026-11.dev.holdfast:" + EXPORT;

  private static final Host HOST = Host.of(HostOptions.PLAIN);

  private Streams() {}

  /** The ICReq. */
  static byte[] greeting() {
    ByteBuffer pdu = ByteBuffer.allocate(128).order(ByteOrder.LITTLE_ENDIAN);
    return Bytes.all(pdu.put(2, (byte) 128).putInt(4, 128));
  }

  /** A capsule with data. */
  static byte[] capsule(Entry entry, int id, byte[] data) {
    entry.descriptor(data.length > 0 ? 0x01 : 0x5a, data.length);
    return pdu(4, entry.bytes(id), data);
  }

  /** A capsule, unchanged. */
  static byte[] bare(Entry entry, int id) {
    return pdu(4, entry.bytes(id), new byte[0]);
  }

  /** Requested data. */
  static byte[] data(int id, int offset, byte[] data, boolean last) {
    ByteBuffer header = ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN);
    header.putShort((short) id).putShort((short) id).putInt(offset).putInt(data.length);
    byte[] pdu = pdu(6, Bytes.all(header), data);
    pdu[1] = (byte) (last ? 4 : 0);
    return pdu;
  }

  private static byte[] pdu(int type, byte[] header, byte[] data) {
    int size = 8 + header.length;
    ByteBuffer pdu = ByteBuffer.allocate(size + data.length).order(ByteOrder.LITTLE_ENDIAN);
    pdu.put(0, (byte) type).put(2, (byte) size).put(3, (byte) (data.length > 0 ? size : 0));
    pdu.putInt(4, size + data.length);
    return Bytes.all(pdu.put(8, header).put(size, data));
  }

  /** Everything up to an enabled controller's admin queue. */
  static byte[] intoAdmin(String subsystem) {
    return concat(
        List.of(
            greeting(),
            capsule(HOST.connect(0, 32, 0), 1, HOST.data(subsystem, Host.ANY)),
            capsule(Host.property(0x14, 0x460001), 2, new byte[0])));
  }

  /** Everything up to an I/O queue of controller 1. */
  static byte[] intoIo() {
    return concat(
        List.of(greeting(), capsule(HOST.connect(1, 128, 0), 1, HOST.data(SUBSYSTEM, 1))));
  }

  static Arbitrary<byte[]> command(Integer... opcodes) {
    Arbitrary<Integer> numbers =
        Arbitraries.oneOf(
            Arbitraries.integers().between(0, 9000),
            Arbitraries.of(0, 1, -1, Integer.MIN_VALUE, Integer.MAX_VALUE, 0x00ff0001));
    return Combinators.combine(
            Arbitraries.of(opcodes),
            numbers.array(Integer[].class).ofSize(6),
            Arbitraries.integers().between(0, 3),
            Arbitraries.of(0, 1, 2, -1),
            Arbitraries.integers().between(0, 40),
            Arbitraries.of(0, 0, 16, 512, 1024, 4096))
        .as(Streams::command);
  }

  private static byte[] command(
      int opcode, Integer[] dwords, int fused, int namespace, int id, int bytes) {
    Entry entry = new Entry(opcode).namespace(namespace).flags(fused);
    for (int i = 0; i < dwords.length; i++) {
      entry.dword(10 + i, dwords[i]);
    }
    if (bytes == 0) {
      return bare(entry.descriptor(0x5a, dwords[5] & 0x1fffff), id);
    }
    return capsule(entry, id, new byte[bytes]);
  }

  static Arbitrary<byte[]> answer() {
    return Combinators.combine(
            Arbitraries.integers().between(0, 40),
            Arbitraries.of(0, 0, 512, 4096, -1),
            Arbitraries.of(1, 512, 4096),
            Arbitraries.of(true, false))
        .as((id, offset, length, last) -> data(id, offset, new byte[length], last));
  }

  /** A stream with a few bytes changed, removed or repeated. */
  static Arbitrary<byte[]> mutated(Arbitrary<byte[]> streams) {
    return Combinators.combine(
            streams,
            Arbitraries.integers().between(0, 1 << 20).array(Integer[].class).ofSize(4),
            Arbitraries.bytes(),
            Arbitraries.integers().between(0, 2))
        .as(Streams::mutate);
  }

  private static byte[] mutate(byte[] stream, Integer[] places, byte value, int kind) {
    byte[] changed = stream.clone();
    if (changed.length == 0) {
      return changed;
    }
    for (int place : places) {
      changed[place % changed.length] = value;
    }
    return switch (kind) {
      case 0 -> changed;
      case 1 -> Arrays.copyOf(changed, places[0] % changed.length);
      default -> concat(List.of(changed, changed));
    };
  }

  static byte[] concat(List<byte[]> parts) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    parts.forEach(all::writeBytes);
    return all.toByteArray();
  }
}
