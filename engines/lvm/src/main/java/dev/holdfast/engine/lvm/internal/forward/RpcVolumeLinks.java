package dev.holdfast.engine.lvm.internal.forward;

import dev.holdfast.engine.lvm.internal.peers.RpcPeers;
import dev.holdfast.engine.lvm.rpc.BlockReply;
import dev.holdfast.engine.lvm.rpc.BlockRequest;
import dev.holdfast.engine.lvm.rpc.ForwardedVolumesGrpc;
import dev.holdfast.engine.lvm.rpc.JoinRequest;
import dev.holdfast.engine.lvm.rpc.Joined;
import dev.holdfast.error.StorageException;
import dev.holdfast.rpc.RpcErrors;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/** Volumes of other nodes, by gRPC with mutual TLS. Thread-safe. */
public final class RpcVolumeLinks implements RemoteVolumeLinks {
  private final RpcPeers.Channels channels;

  /** Reaches nodes by their channels. */
  public RpcVolumeLinks(RpcPeers.Channels channels) {
    this.channels = channels;
  }

  private static String subject(String volume, String node) {
    return "volume " + volume + " on node " + node;
  }

  @Override
  public Joined join(String node, String volume, Duration timeout) throws StorageException {
    try {
      return ForwardedVolumesGrpc.newBlockingStub(channels.to(node))
          .withDeadlineAfter(timeout.toMillis(), TimeUnit.MILLISECONDS)
          .join(JoinRequest.newBuilder().setVolume(volume).build());
    } catch (StatusRuntimeException e) {
      throw RpcErrors.fromStatus(subject(volume, node), e);
    }
  }

  @Override
  public void submit(
      String node,
      BlockRequest request,
      Duration timeout,
      BiConsumer<BlockReply, StorageException> ended) {
    try {
      ForwardedVolumesGrpc.newStub(channels.to(node))
          .withDeadlineAfter(timeout.toMillis(), TimeUnit.MILLISECONDS)
          .submit(request, new Answer(subject(request.getVolume(), node), ended));
    } catch (StorageException e) {
      ended.accept(BlockReply.getDefaultInstance(), e);
    }
  }

  /** Receives one reply, or a failure. */
  private static final class Answer implements StreamObserver<BlockReply> {
    private final String subject;
    private final BiConsumer<BlockReply, StorageException> ended;

    private Answer(String subject, BiConsumer<BlockReply, StorageException> ended) {
      this.subject = subject;
      this.ended = ended;
    }

    @Override
    public void onNext(BlockReply reply) {
      ended.accept(reply, null);
    }

    @Override
    public void onError(Throwable failure) {
      ended.accept(BlockReply.getDefaultInstance(), RpcErrors.fromStatus(subject, failure));
    }

    @Override
    public void onCompleted() {}
  }
}
