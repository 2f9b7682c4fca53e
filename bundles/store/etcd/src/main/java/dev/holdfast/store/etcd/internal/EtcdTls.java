package dev.holdfast.store.etcd.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import io.grpc.netty.GrpcSslContexts;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.openssl.PEMKeyPair;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.openssl.jcajce.JcaPEMKeyConverter;

/** TLS to etcd with the same files as etcdctl; keys in any common format. */
final class EtcdTls {
  private EtcdTls() {}

  /**
   * Reads the files.
   *
   * @throws StorageException INVALID; the message names the file
   */
  static SslContext context(EtcdSettings settings) throws StorageException {
    SslContextBuilder builder = SslContextBuilder.forClient();
    if (settings.authorities().isPresent()) {
      builder.trustManager(certificates(settings.authorities().get()));
    }
    if (settings.certificate().isPresent()) {
      builder.keyManager(
          key(settings.key().orElseThrow()), certificates(settings.certificate().get()));
    }
    try {
      return GrpcSslContexts.configure(builder, SslProvider.JDK).build();
    } catch (IOException e) {
      throw new StorageException(
          ErrorCode.INVALID, "the certificates for etcd cannot be used: " + e.getMessage(), e);
    }
  }

  private static X509Certificate[] certificates(Path file) throws StorageException {
    List<X509Certificate> found = new ArrayList<>();
    try (InputStream in = Files.newInputStream(file)) {
      CertificateFactory.getInstance("X.509")
          .generateCertificates(in)
          .forEach(one -> found.add((X509Certificate) one));
    } catch (IOException | GeneralSecurityException e) {
      throw unusable(file, e);
    }
    if (found.isEmpty()) {
      throw new StorageException(ErrorCode.INVALID, file + " holds no certificate");
    }
    return found.toArray(X509Certificate[]::new);
  }

  private static PrivateKey key(Path file) throws StorageException {
    try (Reader in = Files.newBufferedReader(file);
        PEMParser parser = new PEMParser(in)) {
      for (Object object = parser.readObject(); object != null; object = parser.readObject()) {
        if (object instanceof PrivateKeyInfo key) {
          return new JcaPEMKeyConverter().getPrivateKey(key);
        } else if (object instanceof PEMKeyPair pair) {
          return new JcaPEMKeyConverter().getKeyPair(pair).getPrivate();
        }
      }
    } catch (IOException e) {
      throw unusable(file, e);
    }
    throw new StorageException(ErrorCode.INVALID, file + " holds no private key without password");
  }

  private static StorageException unusable(Path file, Exception cause) {
    return new StorageException(
        ErrorCode.INVALID, file + " cannot be used: " + cause.getMessage(), cause);
  }
}
