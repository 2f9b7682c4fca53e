package dev.holdfast.rpc;

import io.grpc.MethodDescriptor;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/**
 * Marshaller for raw bytes, for calls without generated code. The bundle defines the format of its
 * messages. Stateless.
 *
 * @since 1.1
 */
public final class ByteMessages implements MethodDescriptor.Marshaller<byte[]> {
  private ByteMessages() {}

  /**
   * Returns a method whose requests and replies are bytes.
   *
   * @param type whether the method has one reply or a stream of replies, not null
   * @param service name of the service, such as {@code holdfast.support.v1.NodeFiles}, not null
   * @param name of the method, not null
   */
  public static MethodDescriptor<byte[], byte[]> method(
      MethodDescriptor.MethodType type, String service, String name) {
    return MethodDescriptor.<byte[], byte[]>newBuilder()
        .setType(type)
        .setFullMethodName(MethodDescriptor.generateFullMethodName(service, name))
        .setRequestMarshaller(new ByteMessages())
        .setResponseMarshaller(new ByteMessages())
        .build();
  }

  @Override
  public InputStream stream(byte[] value) {
    return new ByteArrayInputStream(value);
  }

  @Override
  public byte[] parse(InputStream stream) {
    try {
      return stream.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
