package dev.holdfast.apiserver.internal;

import dev.holdfast.access.ApiDocument;
import dev.holdfast.access.ApiExtension;
import dev.holdfast.access.BrowserSessions;
import dev.holdfast.access.ClusterUsers;
import dev.holdfast.access.IdentityProvider;
import dev.holdfast.access.RootExtension;
import dev.holdfast.apiserver.internal.auth.Credentials;
import dev.holdfast.apiserver.internal.auth.KnownMembers;
import dev.holdfast.apiserver.internal.auth.UserCertificates;
import dev.holdfast.apiserver.internal.resources.WatchSettings;
import dev.holdfast.authorization.Authorization;
import dev.holdfast.certificates.NodeTls;
import dev.holdfast.certificates.files.TlsDirectory;
import dev.holdfast.http.HttpLimits;
import dev.holdfast.metrics.MetricSource;
import dev.holdfast.resource.KindCatalogue;
import dev.holdfast.store.ResourceStore;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A whole server over a store in memory, with the files that its clients need. */
public final class TestServer implements AutoCloseable {
  private final ResourceStore store;
  private final Path data;
  private final String token;
  private final Extensions extensions = new Extensions();
  private final KeptAuditLog audit = new KeptAuditLog();
  private final Authorization authorization;
  private final RunningServer server;

  /** Clock of the users' certificates. */
  final AtomicLong nanos = new AtomicLong();

  TestServer(Path data) throws Exception {
    this(data, new MemoryResourceStore(), WatchSettings.DEFAULT);
  }

  public TestServer(Path data, ResourceStore store, WatchSettings watches) throws Exception {
    this(data, store, watches, false);
  }

  /** One that knows no nodes, or none yet. */
  public TestServer(Path data, ResourceStore store, WatchSettings watches, boolean decides)
      throws Exception {
    this(data, store, watches, decides, HttpLimits.DEFAULT.withWrite(watches.writeLimit()));
  }

  /** One with limits of its own for clients. */
  TestServer(Path data, HttpLimits limits) throws Exception {
    this(data, new MemoryResourceStore(), WatchSettings.DEFAULT, false, limits);
  }

  private TestServer(
      Path data, ResourceStore store, WatchSettings watches, boolean decides, HttpLimits limits)
      throws Exception {
    this.data = data;
    this.store = store;
    NodeTls tls =
        TlsDirectory.prepare(
            data.resolve("tls"), List.of("localhost", "127.0.0.1"), Clock.systemUTC());
    Credentials credentials = new Credentials(data);
    token = credentials.token();
    authorization = Authorization.over(store, Clock.systemUTC());
    server =
        RunningServer.start(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            tls.serverContext(),
            new KnownMembers(token, decides, Optional::empty),
            "0.1.0",
            new RunningServer.Content(
                store,
                KindCatalogue.load(),
                extensions,
                authorization.control(),
                audit,
                UserCertificates.of(tls.userTrust(), nanos::get)),
            watches,
            limits);
    credentials.writeKubeconfig(url(), tls.caCertificate(), token);
  }

  /** Adds a subresource. */
  void add(ApiExtension extension) {
    extensions.add(extension);
  }

  void add(ApiDocument document) {
    extensions.add(document);
  }

  /** Adds further paths. */
  void add(RootExtension root) {
    extensions.add(root);
  }

  /** Adds an identity provider. */
  void add(IdentityProvider provider) {
    extensions.add(provider);
  }

  /** Adds the users of a cluster. */
  void add(ClusterUsers users) {
    extensions.add(users);
  }

  /** Adds the sessions of browsers. */
  void add(BrowserSessions sessions) {
    extensions.add(sessions);
  }

  KeptAuditLog audit() {
    return audit;
  }

  public ResourceStore store() {
    return store;
  }

  /**
   * Returns the file with the authorities of the users' certificates, which is not there at first.
   */
  Path userAuthorities() {
    return data.resolve("tls/clients-ca.crt");
  }

  Path kubeconfig() {
    return data.resolve("kubeconfig");
  }

  MetricSource metrics() {
    return server.metrics();
  }

  public String token() {
    return token;
  }

  public int port() {
    return server.port();
  }

  public String url() {
    return "https://127.0.0.1:" + port();
  }

  /** A context that trusts this server. */
  public SSLContext clientTls() throws Exception {
    return clientTls(new KeyManager[0]);
  }

  /** A context that trusts this server and shows a certificate. */
  SSLContext clientTls(KeyManager... keys) throws Exception {
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    try (InputStream in = Files.newInputStream(data.resolve("tls/ca.crt"))) {
      trusted.setCertificateEntry(
          "ca", CertificateFactory.getInstance("X.509").generateCertificate(in));
    }
    TrustManagerFactory managers =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    managers.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys, managers.getTrustManagers(), null);
    return context;
  }

  @Override
  public void close() {
    server.close();
    authorization.close();
  }
}
