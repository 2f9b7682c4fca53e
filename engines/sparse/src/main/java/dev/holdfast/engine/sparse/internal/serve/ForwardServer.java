package dev.holdfast.engine.sparse.internal.serve;

import dev.holdfast.engine.sparse.rpc.JoinReply;
import dev.holdfast.engine.sparse.rpc.JoinRequest;
import dev.holdfast.engine.sparse.rpc.VolumeForwardingGrpc;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.Portal;
import dev.holdfast.rpc.CallerNode;
import dev.holdfast.rpc.RpcErrors;
import io.grpc.stub.StreamObserver;

/** Serves nodes that forward a volume to this one. The certificate names the calling node. */
public final class ForwardServer extends VolumeForwardingGrpc.VolumeForwardingImplBase {
  private final ForwardingTargets volumes;
  private final Portal portal;
  private final boolean tls;

  /**
   * Serves forwarding sessions.
   *
   * @param tls whether the export of bytes requires TLS
   */
  public ForwardServer(ForwardingTargets volumes, Portal portal, boolean tls) {
    this.volumes = volumes;
    this.portal = portal;
    this.tls = tls;
  }

  @Override
  public void join(JoinRequest request, StreamObserver<JoinReply> observer) {
    ForwardingTargets.Session session;
    try {
      session = volumes.join(request.getVolume(), CallerNode.current(), portal);
    } catch (StorageException e) {
      observer.onError(RpcErrors.toStatus(e));
      return;
    }
    observer.onNext(
        JoinReply.newBuilder()
            .setSize(session.size())
            .setBlockSize(session.blockSize())
            .setDataPort(session.port())
            .setDataExport(session.export())
            .setDataTls(tls)
            .build());
    observer.onCompleted();
  }
}
