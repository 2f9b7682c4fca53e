package dev.holdfast.support.internal.peer;

import dev.holdfast.rpc.ByteMessages;
import io.grpc.MethodDescriptor;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The call for files of other nodes. The request is JSON. The reply is a stream of messages; their
 * first byte shows whether they contain the name of the next file or bytes of the present file.
 */
final class NodeFileCalls {
  static final String SERVICE = "holdfast.support.v1.NodeFiles";

  /** Files of a support bundle. */
  static final MethodDescriptor<byte[], byte[]> SUPPORT = method("Support");

  /** Events of the audit log, as one file of lines. */
  static final MethodDescriptor<byte[], byte[]> AUDIT = method("Audit");

  static final byte NAME = 'N';
  static final byte DATA = 'D';
  static final int PIECE = 256 << 10;

  private NodeFileCalls() {}

  private static MethodDescriptor<byte[], byte[]> method(String name) {
    return ByteMessages.method(MethodDescriptor.MethodType.SERVER_STREAMING, SERVICE, name);
  }

  static byte[] name(String name) {
    return message(NAME, name.getBytes(StandardCharsets.UTF_8), 0, Integer.MAX_VALUE);
  }

  static byte[] data(byte[] content, int from) {
    return message(DATA, content, from, PIECE);
  }

  private static byte[] message(byte type, byte[] content, int from, int most) {
    int length = Math.min(content.length - from, most);
    byte[] message = new byte[1 + length];
    message[0] = type;
    System.arraycopy(content, from, message, 1, length);
    return message;
  }

  static byte[] body(byte[] message) {
    return Arrays.copyOfRange(message, 1, message.length);
  }
}
