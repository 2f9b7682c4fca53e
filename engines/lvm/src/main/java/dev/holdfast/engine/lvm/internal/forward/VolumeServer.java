package dev.holdfast.engine.lvm.internal.forward;

import dev.holdfast.engine.lvm.rpc.BlockReply;
import dev.holdfast.engine.lvm.rpc.BlockRequest;
import dev.holdfast.engine.lvm.rpc.ForwardedVolumesGrpc;
import dev.holdfast.engine.lvm.rpc.JoinRequest;
import dev.holdfast.engine.lvm.rpc.Joined;
import dev.holdfast.error.StorageException;
import dev.holdfast.rpc.CallerNode;
import dev.holdfast.rpc.RpcErrors;
import io.grpc.stub.StreamObserver;
import java.time.Duration;

/** Serves nodes that pass requests on. The certificate names the calling node. Thread-safe. */
public final class VolumeServer extends ForwardedVolumesGrpc.ForwardedVolumesImplBase {
  /** The caller gives up earlier, and asks again. */
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final AdmittedNodes admitted;

  /** Serves the admitted nodes. */
  public VolumeServer(AdmittedNodes admitted) {
    this.admitted = admitted;
  }

  @Override
  public void join(JoinRequest request, StreamObserver<Joined> observer) {
    Joined joined;
    try {
      joined = admitted.join(request.getVolume(), CallerNode.current(), LIMIT);
    } catch (StorageException e) {
      observer.onError(RpcErrors.toStatus(e));
      return;
    }
    observer.onNext(joined);
    observer.onCompleted();
  }

  @Override
  public void submit(BlockRequest request, StreamObserver<BlockReply> observer) {
    admitted.submit(
        CallerNode.current(),
        request,
        (reply, failure) -> {
          if (failure != null) {
            observer.onError(RpcErrors.toStatus(failure));
          } else {
            observer.onNext(reply);
            observer.onCompleted();
          }
        });
  }
}
