package dev.holdfast.apiserver.internal.openapi;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Writes one protobuf message: the few wire types that OpenAPI's messages need. */
final class ProtobufMessage {
  private static final int VARINT = 0;
  private static final int LENGTH_DELIMITED = 2;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  /** A string field; left out when it is empty, as proto3 does. */
  ProtobufMessage text(int field, String value) {
    return value.isEmpty() ? this : bytes(field, value.getBytes(StandardCharsets.UTF_8));
  }

  /** A boolean field; left out when it is false, as proto3 does. */
  ProtobufMessage flag(int field, boolean value) {
    if (value) {
      varint((long) field << 3 | VARINT);
      varint(1);
    }
    return this;
  }

  /** A message field, also when it is empty. */
  ProtobufMessage message(int field, ProtobufMessage value) {
    return bytes(field, value.toBytes());
  }

  private ProtobufMessage bytes(int field, byte[] value) {
    varint((long) field << 3 | LENGTH_DELIMITED);
    varint(value.length);
    out.writeBytes(value);
    return this;
  }

  private void varint(long value) {
    long rest = value;
    while ((rest & ~0x7fL) != 0) {
      out.write((int) (rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    out.write((int) rest);
  }

  byte[] toBytes() {
    return out.toByteArray();
  }
}
