package dev.holdfast.apiserver.internal.auth;

import dev.holdfast.access.UserCredential;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import javax.naming.InvalidNameException;
import javax.naming.NamingEnumeration;
import javax.naming.NamingException;
import javax.naming.directory.Attribute;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Identifies users by their certificate: the CN of the subject is the name, each O is a group. The
 * handshake has verified the certificate; requests verify it again after 5 seconds, because a
 * connection can outlive the certificate and its authority. Thread-safe.
 */
public final class UserCertificates {
  /**
   * Prefix of the names and groups of these users, so that they never equal those of other users.
   */
  static final String PREFIX = "cert:";

  private static final String ISSUER = "certificate";
  private static final long FRESH_NANOS = Duration.ofSeconds(5).toNanos();
  private static final int MOST = 1024;
  private static final float LOAD = 0.75f;

  private final Optional<X509ExtendedTrustManager> trust;
  private final LongSupplier nanos;

  /** Times at which certificates were verified; the longest unused one first. Guarded by itself. */
  private final Map<X509Certificate, Long> verified =
      new LinkedHashMap<>(16, LOAD, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<X509Certificate, Long> eldest) {
          return size() > MOST;
        }
      };

  private UserCertificates(Optional<X509ExtendedTrustManager> trust, LongSupplier nanos) {
    this.trust = trust;
    this.nanos = nanos;
  }

  /**
   * Admits the certificates of some authorities.
   *
   * @param trust trust manager with the authorities
   * @param nanos a clock of nanoseconds
   */
  public static UserCertificates of(X509ExtendedTrustManager trust, LongSupplier nanos) {
    return new UserCertificates(Optional.of(trust), nanos);
  }

  /** Returns an instance that admits no certificates. */
  public static UserCertificates none() {
    return new UserCertificates(Optional.empty(), () -> 0);
  }

  /** Returns whether the server requests client certificates, because an authority is trusted. */
  public boolean areAdmitted() {
    return trust.filter(authorities -> authorities.getAcceptedIssuers().length > 0).isPresent();
  }

  /**
   * Returns the user of a certificate.
   *
   * @param chain the client's chain, its own certificate first
   * @throws CertificateException when the certificate is invalid now, or has no user name
   */
  UserCredential userOf(List<X509Certificate> chain) throws CertificateException {
    verify(chain);
    String name = "";
    List<String> groups = new ArrayList<>();
    for (Map.Entry<String, String> part : subject(chain.get(0))) {
      if (part.getKey().equalsIgnoreCase("CN")) {
        name = part.getValue();
      } else if (part.getKey().equalsIgnoreCase("O")) {
        groups.add(PREFIX + part.getValue());
      }
    }
    if (name.isBlank()) {
      throw new CertificateException("its subject has no CN, which is the name of the user");
    }
    return new UserCredential(ISSUER, PREFIX + name, groups);
  }

  private void verify(List<X509Certificate> chain) throws CertificateException {
    X509Certificate own = chain.get(0);
    own.checkValidity();
    long now = nanos.getAsLong();
    synchronized (verified) {
      Long before = verified.get(own);
      if (before != null && now - before < FRESH_NANOS) {
        return;
      }
    }
    trust
        .orElseThrow(() -> new CertificateException("this server admits no certificates"))
        .checkClientTrusted(
            chain.toArray(X509Certificate[]::new), own.getPublicKey().getAlgorithm());
    synchronized (verified) {
      verified.put(own, now);
    }
  }

  /** Returns types and values of the subject's parts; the last CN is the most specific one. */
  private static List<Map.Entry<String, String>> subject(X509Certificate certificate)
      throws CertificateException {
    List<Map.Entry<String, String>> parts = new ArrayList<>();
    try {
      for (Rdn rdn : new LdapName(certificate.getSubjectX500Principal().getName()).getRdns()) {
        NamingEnumeration<? extends Attribute> attributes = rdn.toAttributes().getAll();
        while (attributes.hasMore()) {
          Attribute attribute = attributes.next();
          if (attribute.get() instanceof String text) {
            parts.add(Map.entry(attribute.getID(), text));
          }
        }
      }
    } catch (InvalidNameException e) {
      throw new CertificateException("its subject is not a name", e);
    } catch (NamingException e) {
      throw new CertificateException("its subject cannot be read", e);
    }
    return parts;
  }
}
