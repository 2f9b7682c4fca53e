package dev.holdfast.certificates.internal;

import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;

/** Makes X.509 certificates (RFC 5280): its own, and those of servers. */
final class CertificateAuthority {
  private static final Duration CA_LIFETIME = Duration.ofDays(3650);
  private static final Duration SERVER_LIFETIME = Duration.ofDays(825);
  private static final Duration CLOCK_SKEW = Duration.ofHours(1);
  private static final int SERIAL_BITS = 127;
  private static final int DNS_NAME = 2;
  private static final int IP_ADDRESS = 7;

  private final SecureRandom random = new SecureRandom();

  KeyPair newKey() throws GeneralSecurityException {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
    generator.initialize(new ECGenParameterSpec("secp256r1"), random);
    return generator.generateKeyPair();
  }

  /** A self-signed certificate; its name differs from that of every other authority. */
  byte[] authority(KeyPair key, Instant now) throws GeneralSecurityException {
    byte[] suffix = new byte[4];
    random.nextBytes(suffix);
    byte[] name = commonName("Holdfast CA " + HexFormat.of().formatHex(suffix));
    byte[] extensions =
        Der.sequence(
            extension("2.5.29.19", true, Der.sequence(Der.trueValue())),
            extension("2.5.29.15", true, Der.bitString(new byte[] {0x06}, 1)),
            extension("2.5.29.14", false, Der.octetString(keyIdentifier(key.getPublic()))));
    return sign(
        name, name, now, now.plus(CA_LIFETIME), key.getPublic(), extensions, key.getPrivate());
  }

  /** A certificate for a server (and, between nodes, a client) with these names and addresses. */
  byte[] server(
      X509Certificate authority,
      PrivateKey authorityKey,
      PublicKey key,
      Collection<String> names,
      Instant now)
      throws GeneralSecurityException {
    Instant end = now.plus(SERVER_LIFETIME);
    Instant last = authority.getNotAfter().toInstant();
    byte[] extensions =
        Der.sequence(
            extension("2.5.29.19", true, Der.sequence()),
            extension("2.5.29.15", true, Der.bitString(new byte[] {(byte) 0x80}, 7)),
            extension(
                "2.5.29.37",
                false,
                Der.sequence(Der.oid("1.3.6.1.5.5.7.3.1"), Der.oid("1.3.6.1.5.5.7.3.2"))),
            extension("2.5.29.17", false, alternativeNames(names)),
            extension("2.5.29.14", false, Der.octetString(keyIdentifier(key))),
            extension(
                "2.5.29.35",
                false,
                Der.sequence(Der.implicit(0, keyIdentifier(authority.getPublicKey())))));
    return sign(
        authority.getSubjectX500Principal().getEncoded(),
        commonName("holdfast"),
        now,
        end.isBefore(last) ? end : last,
        key,
        extensions,
        authorityKey);
  }

  private byte[] sign(
      byte[] issuer,
      byte[] subject,
      Instant now,
      Instant end,
      PublicKey key,
      byte[] extensions,
      PrivateKey signer)
      throws GeneralSecurityException {
    boolean ec = signer.getAlgorithm().equals("EC");
    byte[] algorithm =
        ec
            ? Der.sequence(Der.oid("1.2.840.10045.4.3.2"))
            : Der.sequence(Der.oid("1.2.840.113549.1.1.11"), Der.nullValue());
    byte[] content =
        Der.sequence(
            Der.explicit(0, Der.integer(BigInteger.TWO)),
            Der.integer(new BigInteger(SERIAL_BITS, random).add(BigInteger.ONE)),
            algorithm,
            issuer,
            Der.sequence(Der.time(now.minus(CLOCK_SKEW)), Der.time(end)),
            subject,
            key.getEncoded(),
            Der.explicit(3, extensions));
    Signature signature = Signature.getInstance(ec ? "SHA256withECDSA" : "SHA256withRSA");
    signature.initSign(signer, random);
    signature.update(content);
    return Der.sequence(content, algorithm, Der.bitString(signature.sign(), 0));
  }

  private static byte[] commonName(String name) {
    return Der.sequence(Der.set(Der.sequence(Der.oid("2.5.4.3"), Der.utf8(name))));
  }

  private static byte[] extension(String oid, boolean critical, byte[] value) {
    return critical
        ? Der.sequence(Der.oid(oid), Der.trueValue(), Der.octetString(value))
        : Der.sequence(Der.oid(oid), Der.octetString(value));
  }

  private static byte[] keyIdentifier(PublicKey key) throws GeneralSecurityException {
    byte[] digest = MessageDigest.getInstance("SHA-256").digest(key.getEncoded());
    return java.util.Arrays.copyOf(digest, 20);
  }

  private static byte[] alternativeNames(Collection<String> names) {
    List<byte[]> encoded = new ArrayList<>();
    for (String name : names) {
      encoded.add(
          isAddress(name)
              ? Der.implicit(IP_ADDRESS, address(name))
              : Der.implicit(DNS_NAME, name.getBytes(StandardCharsets.US_ASCII)));
    }
    return Der.sequence(encoded.toArray(byte[][]::new));
  }

  /** Tells addresses from names without asking the DNS: no top-level domain is all digits. */
  static boolean isAddress(String name) {
    return name.contains(":") || name.matches("[0-9.]+");
  }

  private static byte[] address(String literal) {
    try {
      return InetAddress.getByName(literal).getAddress();
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException("\"" + literal + "\" is no IP address", e);
    }
  }
}
