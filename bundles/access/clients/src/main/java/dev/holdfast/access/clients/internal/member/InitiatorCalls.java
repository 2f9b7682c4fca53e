package dev.holdfast.access.clients.internal.member;

import dev.holdfast.certificates.files.InitiatorCredential;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.rpc.ByteMessages;
import dev.holdfast.rpc.NodeChannels;
import dev.holdfast.rpc.RpcErrors;
import io.grpc.CallOptions;
import io.grpc.MethodDescriptor;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * The call with which the serving node of a volume requests the secrets of another node's kernel.
 * The request is the volume's name, the reply the lines of an {@link InitiatorCredential}.
 * Thread-safe.
 */
final class InitiatorCalls {
  static final String SERVICE = "holdfast.clients.v1.Initiators";
  static final MethodDescriptor<byte[], byte[]> CREDENTIAL =
      ByteMessages.method(MethodDescriptor.MethodType.UNARY, SERVICE, "Credential");

  /**
   * Time limit, because the login of the initiator waits for the answer; without an answer the
   * initiator retries.
   */
  private static final Duration LIMIT = Duration.ofSeconds(3);

  private final Supplier<Optional<NodeChannels>> channels;

  InitiatorCalls(Supplier<Optional<NodeChannels>> channels) {
    this.channels = channels;
  }

  /**
   * Requests the credential from a node.
   *
   * @return the credential, empty if its kernel does not use the volume
   * @throws StorageException UNREACHABLE, also while this node has no calls to others; TIMEOUT;
   *     FORBIDDEN when this node does not serve the volume; UNSUPPORTED for a node of an earlier
   *     release
   */
  Optional<InitiatorCredential> credential(String node, String volume) throws StorageException {
    String what = "node " + node + ": secret of its initiator for volume " + volume;
    NodeChannels present =
        channels
            .get()
            .orElseThrow(
                () ->
                    new StorageException(ErrorCode.UNREACHABLE, what + ": no calls to nodes yet"));
    byte[] reply;
    try {
      reply =
          ClientCalls.blockingUnaryCall(
              present.channel(node),
              CREDENTIAL,
              CallOptions.DEFAULT.withDeadlineAfter(LIMIT.toMillis(), TimeUnit.MILLISECONDS),
              volume.getBytes(StandardCharsets.UTF_8));
    } catch (StatusRuntimeException e) {
      StorageException failure = RpcErrors.fromStatus(what, e);
      if (failure.code() == ErrorCode.NOT_FOUND) {
        return Optional.empty();
      }
      throw failure;
    }
    return Optional.of(InitiatorCredential.parse(what, new String(reply, StandardCharsets.UTF_8)));
  }
}
