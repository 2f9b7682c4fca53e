package dev.holdfast.apiserver.internal.openapi;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Writer for one protobuf message with the wire types that OpenAPI's messages need. */
final class ProtobufMessage {
  private static final int VARINT = 0;
  private static final int LENGTH_DELIMITED = 2;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  /** Writes a string field; omits an empty one, as proto3 does. */
  ProtobufMessage text(int field, String value) {
    return value.isEmpty() ? this : bytes(field, value.getBytes(StandardCharsets.UTF_8));
  }

  /** Writes a boolean field; omits false, as proto3 does. */
  ProtobufMessage flag(int field, boolean value) {
    if (value) {
      varint((long) field << 3 | VARINT);
      varint(1);
    }
    return this;
  }

  /** Writes a message field, even if it is empty. */
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
