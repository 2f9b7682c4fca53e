package dev.holdfast.rpc.runtime;

import dev.holdfast.certificates.NodeTls;
import dev.holdfast.error.StorageException;
import dev.holdfast.rpc.CallerNode;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;

/** Accepts calls with the certificate of a node, and passes the node's name to the service. */
final class CallerCheck implements ServerInterceptor {
  private final NodeTls tls;

  /**
   * Creates a check.
   *
   * @param tls identifies nodes by their certificates
   */
  CallerCheck(NodeTls tls) {
    this.tls = tls;
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    SSLSession session = call.getAttributes().get(Grpc.TRANSPORT_ATTR_SSL_SESSION);
    try {
      String node = tls.peerName(session.getPeerCertificates());
      Context context = CallerNode.in(Context.current(), node);
      return Contexts.interceptCall(context, call, headers, next);
    } catch (StorageException | SSLPeerUnverifiedException e) {
      call.close(
          Status.PERMISSION_DENIED.withDescription(e.getMessage()).withCause(e), new Metadata());
      return new ServerCall.Listener<>() {};
    }
  }
}
