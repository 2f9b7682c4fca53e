package dev.holdfast.certificates.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.GeneralSecurityException;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The present certificate and key of the files. A pair that does not match, as while the owner
 * replaces one file after the other, is ignored and the previous pair stays in use.
 *
 * <p>An alias is the number of a pair, so that a handshake ends with the pair with which it began.
 */
final class NodeKeys extends X509ExtendedKeyManager {
  private static final Logger LOG = LoggerFactory.getLogger(NodeKeys.class);
  private static final int KEPT_PAIRS = 4;

  private final Path certificate;
  private final Path key;
  private final ConcurrentSkipListMap<Long, Pair> pairs = new ConcurrentSkipListMap<>();
  private List<FileTime> seen;

  private record Pair(List<X509Certificate> chain, PrivateKey key) {}

  NodeKeys(Path certificate, Path key) throws StorageException {
    this.certificate = certificate;
    this.key = key;
    this.seen = times();
    pairs.put(0L, load());
  }

  private List<FileTime> times() throws StorageException {
    try {
      return List.of(Files.getLastModifiedTime(certificate), Files.getLastModifiedTime(key));
    } catch (IOException e) {
      throw StorageException.io("read " + certificate + " and " + key, e);
    }
  }

  private Pair load() throws StorageException {
    List<X509Certificate> chain = Pem.certificates(certificate);
    PrivateKey privateKey = Pem.privateKey(key, chain.get(0));
    try {
      if (!fits(privateKey, chain.get(0))) {
        throw new StorageException(ErrorCode.INVALID, key + " is not the key of " + certificate);
      }
    } catch (GeneralSecurityException e) {
      throw new StorageException(
          ErrorCode.INVALID, certificate + " cannot be used: " + e.getMessage(), e);
    }
    return new Pair(chain, privateKey);
  }

  static boolean fits(PrivateKey key, X509Certificate certificate) throws GeneralSecurityException {
    Signature signature =
        Signature.getInstance(
            key.getAlgorithm().equals("EC") ? "SHA256withECDSA" : "SHA256withRSA");
    byte[] probe = certificate.getSerialNumber().toByteArray();
    signature.initSign(key);
    signature.update(probe);
    byte[] signed = signature.sign();
    signature.initVerify(certificate.getPublicKey());
    signature.update(probe);
    return signature.verify(signed);
  }

  private synchronized Map.Entry<Long, Pair> current() {
    try {
      List<FileTime> now = times();
      if (!now.equals(seen)) {
        pairs.put(pairs.lastKey() + 1, load());
        seen = now;
        LOG.info("Using the replaced certificate {}", certificate);
        if (pairs.size() > KEPT_PAIRS) {
          pairs.pollFirstEntry();
        }
      }
    } catch (StorageException e) {
      LOG.warn("keeping the present certificate: {}", e.getMessage());
    }
    return pairs.lastEntry();
  }

  private Optional<Pair> pair(String alias) {
    return Optional.ofNullable(alias).map(text -> pairs.get(Long.valueOf(text)));
  }

  private String alias(String... keyTypes) {
    Map.Entry<Long, Pair> pair = current();
    String algorithm = pair.getValue().key().getAlgorithm();
    return Arrays.stream(keyTypes).anyMatch(type -> type.startsWith(algorithm))
        ? pair.getKey().toString()
        : null;
  }

  @Override
  public String chooseEngineServerAlias(String keyType, Principal[] issuers, SSLEngine engine) {
    return alias(keyType);
  }

  @Override
  public String chooseServerAlias(String keyType, Principal[] issuers, Socket socket) {
    return alias(keyType);
  }

  @Override
  public String chooseEngineClientAlias(String[] types, Principal[] issuers, SSLEngine engine) {
    return alias(types);
  }

  @Override
  public String chooseClientAlias(String[] keyType, Principal[] issuers, Socket socket) {
    return alias(keyType);
  }

  @Override
  public String[] getServerAliases(String keyType, Principal[] issuers) {
    String alias = alias(keyType);
    return alias == null ? null : new String[] {alias};
  }

  @Override
  public String[] getClientAliases(String keyType, Principal[] issuers) {
    return getServerAliases(keyType, issuers);
  }

  @Override
  public X509Certificate[] getCertificateChain(String alias) {
    return pair(alias).map(p -> p.chain().toArray(X509Certificate[]::new)).orElse(null);
  }

  @Override
  public PrivateKey getPrivateKey(String alias) {
    return pair(alias).map(Pair::key).orElse(null);
  }
}
