package dev.holdfast.certificates.internal;

import java.io.IOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Date;
import java.util.HexFormat;
import org.bouncycastle.asn1.DEROctetString;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x500.X500NameBuilder;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.bouncycastle.asn1.x509.AuthorityKeyIdentifier;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.asn1.x509.SubjectKeyIdentifier;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/**
 * Creates X.509 certificates (RFC 5280) of the authority itself and of nodes.
 *
 * <p>Bouncy Castle writes the structures; the Java runtime creates keys and signatures.
 */
final class CertificateAuthority {
  private static final Duration CA_LIFETIME = Duration.ofDays(3650);
  private static final Duration SERVER_LIFETIME = Duration.ofDays(30);
  private static final Duration CLOCK_SKEW = Duration.ofHours(1);
  private static final int SERIAL_BITS = 127;

  private final SecureRandom random = new SecureRandom();

  KeyPair newKey() throws GeneralSecurityException {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
    generator.initialize(new ECGenParameterSpec("secp256r1"), random);
    return generator.generateKeyPair();
  }

  /** Creates a self-signed certificate; its name differs from that of every other authority. */
  byte[] authority(KeyPair key, Instant now) throws GeneralSecurityException, IOException {
    byte[] suffix = new byte[4];
    random.nextBytes(suffix);
    X500Name name = commonName("Holdfast CA " + HexFormat.of().formatHex(suffix));
    X509v3CertificateBuilder certificate =
        certificate(name, name, now, now.plus(CA_LIFETIME), key.getPublic())
            .addExtension(Extension.basicConstraints, true, new BasicConstraints(true))
            .addExtension(
                Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign | KeyUsage.cRLSign))
            .addExtension(
                Extension.subjectKeyIdentifier,
                false,
                new JcaX509ExtensionUtils().createSubjectKeyIdentifier(key.getPublic()));
    return sign(certificate, key.getPrivate());
  }

  /** A certificate of another authority's key and name: its certificates then fit this one too. */
  byte[] bridge(
      X509Certificate authority, PrivateKey authorityKey, X509Certificate next, Instant now)
      throws GeneralSecurityException, IOException {
    Instant end = next.getNotAfter().toInstant();
    Instant last = authority.getNotAfter().toInstant();
    JcaX509ExtensionUtils identifiers = new JcaX509ExtensionUtils();
    X509v3CertificateBuilder certificate =
        certificate(
                X500Name.getInstance(authority.getSubjectX500Principal().getEncoded()),
                X500Name.getInstance(next.getSubjectX500Principal().getEncoded()),
                now,
                end.isBefore(last) ? end : last,
                next.getPublicKey())
            .addExtension(Extension.basicConstraints, true, new BasicConstraints(0))
            .addExtension(
                Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign | KeyUsage.cRLSign))
            .addExtension(
                Extension.subjectKeyIdentifier,
                false,
                identifiers.createSubjectKeyIdentifier(next.getPublicKey()))
            .addExtension(
                Extension.authorityKeyIdentifier,
                false,
                identifiers.createAuthorityKeyIdentifier(authority));
    return sign(certificate, authorityKey);
  }

  /** A node's certificate, as a server and as a client, with these names and addresses. */
  byte[] node(
      X509Certificate authority,
      PrivateKey authorityKey,
      PublicKey key,
      String node,
      Collection<String> names,
      Instant now)
      throws GeneralSecurityException, IOException {
    Instant end = now.plus(SERVER_LIFETIME);
    Instant last = authority.getNotAfter().toInstant();
    X500Name issuer = X500Name.getInstance(authority.getSubjectX500Principal().getEncoded());
    JcaX509ExtensionUtils identifiers = new JcaX509ExtensionUtils();
    X509v3CertificateBuilder certificate =
        certificate(issuer, NodeSubject.of(node), now, end.isBefore(last) ? end : last, key)
            .addExtension(Extension.basicConstraints, true, new BasicConstraints(false))
            .addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature))
            .addExtension(
                Extension.extendedKeyUsage,
                false,
                new ExtendedKeyUsage(
                    new KeyPurposeId[] {
                      KeyPurposeId.id_kp_serverAuth, KeyPurposeId.id_kp_clientAuth
                    }))
            .addExtension(Extension.subjectAlternativeName, false, alternativeNames(names))
            .addExtension(
                Extension.subjectKeyIdentifier, false, identifiers.createSubjectKeyIdentifier(key))
            .addExtension(Extension.authorityKeyIdentifier, false, keyIdentifier(authority));
    return sign(certificate, authorityKey);
  }

  /**
   * Names the key of an authority, and not one certificate of it: the issuer may be known by the
   * certificate that an earlier authority signed, which OpenSSL otherwise rejects.
   */
  private static AuthorityKeyIdentifier keyIdentifier(X509Certificate authority)
      throws GeneralSecurityException, IOException {
    byte[] named = authority.getExtensionValue(Extension.subjectKeyIdentifier.getId());
    return named == null
        ? new JcaX509ExtensionUtils().createAuthorityKeyIdentifier(authority.getPublicKey())
        : new AuthorityKeyIdentifier(
            SubjectKeyIdentifier.getInstance(JcaX509ExtensionUtils.parseExtensionValue(named))
                .getKeyIdentifier());
  }

  /**
   * Creates a self-signed certificate of a client of volumes: the cluster lists it instead of
   * trusting its issuer.
   */
  byte[] client(KeyPair key, String name, Instant now, Instant end)
      throws GeneralSecurityException, IOException {
    X500Name subject = commonName(name);
    X509v3CertificateBuilder certificate =
        certificate(subject, subject, now, end, key.getPublic())
            .addExtension(Extension.basicConstraints, true, new BasicConstraints(false))
            .addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature))
            .addExtension(
                Extension.extendedKeyUsage,
                false,
                new ExtendedKeyUsage(KeyPurposeId.id_kp_clientAuth));
    return sign(certificate, key.getPrivate());
  }

  private X509v3CertificateBuilder certificate(
      X500Name issuer, X500Name subject, Instant now, Instant end, PublicKey key) {
    return new X509v3CertificateBuilder(
        issuer,
        new BigInteger(SERIAL_BITS, random).add(BigInteger.ONE),
        Date.from(now.minus(CLOCK_SKEW)),
        Date.from(end),
        subject,
        SubjectPublicKeyInfo.getInstance(key.getEncoded()));
  }

  private byte[] sign(X509v3CertificateBuilder certificate, PrivateKey key)
      throws GeneralSecurityException, IOException {
    String algorithm = key.getAlgorithm().equals("EC") ? "SHA256withECDSA" : "SHA256withRSA";
    try {
      return certificate
          .build(new JcaContentSignerBuilder(algorithm).setSecureRandom(random).build(key))
          .getEncoded();
    } catch (OperatorCreationException e) {
      throw new GeneralSecurityException("no signer for " + algorithm + ": " + e.getMessage(), e);
    }
  }

  private static X500Name commonName(String name) {
    return new X500NameBuilder().addRDN(BCStyle.CN, name).build();
  }

  static GeneralNames alternativeNames(Collection<String> names) {
    return new GeneralNames(
        names.stream().map(CertificateAuthority::alternativeName).toArray(GeneralName[]::new));
  }

  private static GeneralName alternativeName(String name) {
    return isAddress(name)
        ? new GeneralName(GeneralName.iPAddress, new DEROctetString(address(name)))
        : new GeneralName(GeneralName.dNSName, name);
  }

  /**
   * Distinguishes addresses from names without DNS: no top-level domain consists only of digits.
   */
  static boolean isAddress(String name) {
    return name.contains(":") || name.matches("[0-9.]+");
  }

  private static byte[] address(String literal) {
    try {
      return InetAddress.getByName(literal).getAddress();
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException("\"" + literal + "\" is not an IP address", e);
    }
  }
}
