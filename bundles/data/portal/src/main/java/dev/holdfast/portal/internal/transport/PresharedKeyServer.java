package dev.holdfast.portal.internal.transport;

import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.PresharedKey;
import dev.holdfast.frontend.PresharedKeyFrontend;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Hashtable;
import java.util.Optional;
import java.util.Vector;
import org.bouncycastle.tls.AbstractTlsServer;
import org.bouncycastle.tls.AlertDescription;
import org.bouncycastle.tls.BasicTlsPSKExternal;
import org.bouncycastle.tls.CipherSuite;
import org.bouncycastle.tls.NamedGroup;
import org.bouncycastle.tls.PRFAlgorithm;
import org.bouncycastle.tls.ProtocolVersion;
import org.bouncycastle.tls.PskIdentity;
import org.bouncycastle.tls.TlsCredentials;
import org.bouncycastle.tls.TlsFatalAlert;
import org.bouncycastle.tls.TlsPSKExternal;
import org.bouncycastle.tls.crypto.impl.jcajce.JcaTlsCryptoProvider;
import org.bouncycastle.util.Arrays;

/**
 * TLS parameters of one connection: only version 1.3 with a key that the client shares with the
 * frontend. Certificates and resumption are disabled. One thread at a time.
 */
@SuppressWarnings({"rawtypes", "JdkObsolete"}) // The library's types.
final class PresharedKeyServer extends AbstractTlsServer {
  private static final int IDENTITIES = 8;
  private static final int SHOWN = 600;

  private final PresharedKeyFrontend keys;
  private Optional<PresharedKey> key = Optional.empty();
  private String identity = "";
  private String trouble = "";
  private boolean complete;

  PresharedKeyServer(PresharedKeyFrontend keys) {
    super(new JcaTlsCryptoProvider().create(new SecureRandom()));
    this.keys = keys;
  }

  /** Returns whether the client has proved that it has the key. */
  boolean complete() {
    return complete;
  }

  /** Returns the identity of that key. */
  String identity() {
    return identity;
  }

  /**
   * Returns why the client is refused, where this class has more details than the library's alert.
   */
  String trouble() {
    return trouble;
  }

  @Override
  protected ProtocolVersion[] getSupportedVersions() {
    return ProtocolVersion.TLSv13.only();
  }

  @Override
  protected int[] getSupportedCipherSuites() {
    return new int[] {CipherSuite.TLS_AES_256_GCM_SHA384, CipherSuite.TLS_AES_128_GCM_SHA256};
  }

  @Override
  public int[] getSupportedGroups() {
    return new int[] {
      NamedGroup.x25519, NamedGroup.secp256r1, NamedGroup.secp384r1, NamedGroup.ffdhe3072
    };
  }

  @Override
  public TlsPSKExternal getExternalPSK(Vector identities) {
    key = Optional.empty();
    for (int i = 0; i < Math.min(identities.size(), IDENTITIES); i++) {
      byte[] name = ((PskIdentity) identities.get(i)).getIdentity();
      identity = new String(name, StandardCharsets.UTF_8);
      key = find();
      if (key.isPresent()) {
        return new BasicTlsPSKExternal(
            name, context.getCrypto().createSecret(key.get().secret()), prf(key.get()));
      }
    }
    return null;
  }

  private Optional<PresharedKey> find() {
    try {
      Optional<PresharedKey> found = keys.presharedKey(identity);
      if (found.isEmpty()) {
        trouble = "there is no key here for identity '" + shown(identity) + "'";
      } else if (!Arrays.contains(offeredCipherSuites, suite(found.get()))) {
        trouble = "the client has no cipher suite for the hash of its key";
        return Optional.empty();
      } else {
        trouble = "";
      }
      return found;
    } catch (StorageException e) {
      trouble = e.getMessage();
      return Optional.empty();
    }
  }

  /** Text of a client must not create separate lines in the log. */
  private static String shown(String sent) {
    String printable = sent.replaceAll("\\p{Cntrl}", "?");
    return printable.substring(0, Math.min(printable.length(), SHOWN));
  }

  @Override
  public void processClientExtensions(Hashtable extensions) throws IOException {
    super.processClientExtensions(extensions);
    if (key.isEmpty()) {
      throw unknown();
    }
  }

  @Override
  public int getSelectedCipherSuite() throws IOException {
    int suite = suite(key.orElseThrow());
    if (!selectCipherSuite(suite)) {
      throw new TlsFatalAlert(AlertDescription.handshake_failure);
    }
    return suite;
  }

  /** The library calls this when no key was chosen. */
  @Override
  public TlsCredentials getCredentials() throws IOException {
    throw unknown();
  }

  private static TlsFatalAlert unknown() {
    return new TlsFatalAlert(
        AlertDescription.unknown_psk_identity, "the client offers no key with psk_dhe_ke");
  }

  @Override
  public void notifyAlertRaised(short level, short alert, String message, Throwable cause) {
    if (!complete && key.isPresent() && alert == AlertDescription.decrypt_error) {
      trouble =
          "the key of the client for identity '"
              + shown(identity)
              + "' does not match the "
              + "key of this node";
    }
  }

  @Override
  public void notifyHandshakeComplete() throws IOException {
    super.notifyHandshakeComplete();
    complete = true;
  }

  private static int suite(PresharedKey key) {
    return switch (key.hash()) {
      case SHA_256 -> CipherSuite.TLS_AES_128_GCM_SHA256;
      case SHA_384 -> CipherSuite.TLS_AES_256_GCM_SHA384;
    };
  }

  private static int prf(PresharedKey key) {
    return switch (key.hash()) {
      case SHA_256 -> PRFAlgorithm.tls13_hkdf_sha256;
      case SHA_384 -> PRFAlgorithm.tls13_hkdf_sha384;
    };
  }
}
