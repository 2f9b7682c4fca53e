package dev.holdfast.rpc.runtime;

import dev.holdfast.certificates.NodeTls;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import io.grpc.netty.GrpcSslContexts;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.security.GeneralSecurityException;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManager;

/** Netty's TLS with the node's certificates, using the Java runtime's implementation. */
final class NodeSsl {
  private NodeSsl() {}

  /** Returns a context for a server whose clients must be members of the cluster. */
  static SslContext server(NodeTls tls) throws StorageException {
    return build(
        SslContextBuilder.forServer(tls.keyManager())
            .trustManager(new MemberTrust(tls))
            .clientAuth(ClientAuth.REQUIRE));
  }

  /** Returns a context for a client that must reach the node of this name. */
  static SslContext client(NodeTls tls, String node) throws StorageException {
    return build(
        SslContextBuilder.forClient()
            .keyManager(tls.keyManager())
            .trustManager(new NamedNodeTrust(tls, node)));
  }

  /** Returns a context for a client of another protocol that must reach the node of this name. */
  static SSLContext context(NodeTls tls, String node) throws StorageException {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(
          new KeyManager[] {tls.keyManager()},
          new TrustManager[] {new NamedNodeTrust(tls, node)},
          null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new StorageException(
          ErrorCode.INVALID, "the node's certificate cannot be used: " + e.getMessage(), e);
    }
  }

  private static SslContext build(SslContextBuilder builder) throws StorageException {
    try {
      return GrpcSslContexts.configure(builder, SslProvider.JDK).build();
    } catch (SSLException e) {
      throw new StorageException(
          ErrorCode.INVALID, "the node's certificate cannot be used: " + e.getMessage(), e);
    }
  }
}
