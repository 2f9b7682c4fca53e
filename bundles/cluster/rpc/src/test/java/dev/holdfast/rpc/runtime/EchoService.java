package dev.holdfast.rpc.runtime;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.rpc.CallerNode;
import dev.holdfast.rpc.RpcErrors;
import io.grpc.BindableService;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.MethodDescriptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/** Replies with the caller's name and its message. */
final class EchoService implements BindableService {
  private static final MethodDescriptor<String, String> ECHO =
      MethodDescriptor.<String, String>newBuilder()
          .setType(MethodDescriptor.MethodType.UNARY)
          .setFullMethodName("test.Echo/Say")
          .setRequestMarshaller(new Text())
          .setResponseMarshaller(new Text())
          .build();

  static String say(Channel channel, String words) {
    return ClientCalls.blockingUnaryCall(
        channel, ECHO, CallOptions.DEFAULT.withDeadlineAfter(20, TimeUnit.SECONDS), words);
  }

  @Override
  public ServerServiceDefinition bindService() {
    return ServerServiceDefinition.builder("test.Echo")
        .addMethod(
            ECHO,
            ServerCalls.asyncUnaryCall(
                (words, observer) -> {
                  if (words.equals("fail")) {
                    observer.onError(
                        RpcErrors.toStatus(
                            new StorageException(ErrorCode.NO_SPACE, "the disk is full")));
                    return;
                  }
                  observer.onNext(CallerNode.current() + ": " + words);
                  observer.onCompleted();
                }))
        .build();
  }

  private static final class Text implements MethodDescriptor.Marshaller<String> {
    @Override
    public InputStream stream(String value) {
      return new ByteArrayInputStream(value.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public String parse(InputStream stream) {
      try {
        return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
