package dev.holdfast.certificates.internal;

import dev.holdfast.certificates.CertificateRenewal;
import dev.holdfast.certificates.MemberList;
import dev.holdfast.certificates.NodeTls;
import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;

/**
 * Prepares {@code <data>/tls} before any user of TLS starts; {@link AuthorityChoice} enables it.
 */
@Component(
    name = NodeTlsService.NAME,
    enabled = false,
    service = {NodeTls.class, MemberList.class})
public final class NodeTlsService implements NodeTls, MemberList {
  static final String NAME = "dev.holdfast.certificates.tls";

  private final TlsFiles files;
  private final Members members;
  private final CertificateRenewal renewal;

  /** Prepares the files. */
  @Activate
  public NodeTlsService(BundleContext context) throws StorageException {
    String node = Optional.ofNullable(context.getProperty("holdfast.node.name")).orElse("node-1");
    this.files =
        TlsFiles.prepare(
            directory(context), node, names(node, context::getProperty), Clock.systemUTC());
    this.members = new Members(directory(context).resolve("members"), node, files::keyFingerprint);
    this.renewal = CertificateRenewal.start(files::renewIfDue);
  }

  @Deactivate
  void stop() {
    renewal.close();
  }

  static Path directory(BundleContext context) {
    String data = context.getProperty("holdfast.data");
    if (data == null) {
      throw new IllegalStateException("holdfast.data is not set: it names the state directory");
    }
    return Path.of(data, "tls");
  }

  private static List<String> names(String node, Function<String, String> settings)
      throws StorageException {
    return NodeNames.of(
        node,
        Stream.of("holdfast.address", "holdfast.advertised.address")
            .map(settings)
            .filter(Objects::nonNull)
            .toList());
  }

  @Override
  public Path caCertificate() {
    return files.caCertificate();
  }

  @Override
  public Path certificate() {
    return files.certificate();
  }

  @Override
  public Path key() {
    return files.key();
  }

  @Override
  public SSLContext serverContext() throws StorageException {
    return files.serverContext();
  }

  @Override
  public SSLContext peerContext() throws StorageException {
    return files.peerContext();
  }

  @Override
  public X509ExtendedKeyManager keyManager() throws StorageException {
    return files.keyManager();
  }

  @Override
  public X509ExtendedTrustManager trustManager() throws StorageException {
    return files.trustManager();
  }

  @Override
  public X509ExtendedTrustManager userTrust() {
    return files.userTrust();
  }

  @Override
  public String keyFingerprint() throws StorageException {
    return files.keyFingerprint();
  }

  @Override
  public String peerName(Certificate[] chain) throws StorageException {
    String node = files.peerName(chain);
    members.check(node, (X509Certificate) chain[0]);
    return node;
  }

  @Override
  public void replace(Map<String, String> keys) throws StorageException {
    members.replace(keys);
  }
}
