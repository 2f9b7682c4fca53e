package dev.holdfast.certificates.files;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.HexFormat;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import org.bouncycastle.openssl.PEMKeyPair;
import org.bouncycastle.openssl.PEMParser;
import org.junit.jupiter.api.Test;

final class ClientCredentialTest {
  private static final Instant NOW = Instant.parse("2027-01-01T00:00:00Z");
  private static final Instant END = NOW.plus(Duration.ofDays(30));

  private static X509Certificate certificate(ClientCredential credential) throws Exception {
    byte[] pem = credential.certificate().getBytes(StandardCharsets.US_ASCII);
    return (X509Certificate)
        CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(pem));
  }

  @Test
  void certificateIsForTheClientAndItsPeriod() throws Exception {
    ClientCredential credential = ClientCredential.create("hv-07", NOW, END);
    X509Certificate certificate = certificate(credential);
    certificate.verify(certificate.getPublicKey());
    assertThat(certificate.getSubjectX500Principal().getName()).isEqualTo("CN=hv-07");
    assertThat(certificate.getNotAfter()).isEqualTo(Date.from(END));
    assertThat(certificate.getExtendedKeyUsage()).containsExactly("1.3.6.1.5.5.7.3.2");
    byte[] digest = MessageDigest.getInstance("SHA-256").digest(certificate.getEncoded());
    assertThat(credential.fingerprint()).isEqualTo(HexFormat.of().formatHex(digest));
  }

  /** GnuTLS requires this. */
  @Test
  void keyContainsItsPublicKey() throws Exception {
    ClientCredential credential = ClientCredential.create("hv-07", NOW, END);
    SubjectPublicKeyInfo proven =
        SubjectPublicKeyInfo.getInstance(certificate(credential).getPublicKey().getEncoded());
    try (PEMParser parser = new PEMParser(new StringReader(credential.key()))) {
      PEMKeyPair pair = (PEMKeyPair) parser.readObject();
      assertThat(pair.getPublicKeyInfo().getPublicKeyData()).isEqualTo(proven.getPublicKeyData());
    }
  }

  @Test
  void keyIsNotShown() throws Exception {
    ClientCredential credential = ClientCredential.create("hv-07", NOW, END);
    assertThat(credential.toString()).doesNotContain("PRIVATE");
  }
}
