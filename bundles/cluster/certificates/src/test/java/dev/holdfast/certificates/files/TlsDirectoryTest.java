package dev.holdfast.certificates.files;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.certificates.NodeTls;
import dev.holdfast.error.StorageException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TlsDirectoryTest {
  private static final Instant NOW = Instant.parse("2026-11-21T00:00:00Z");
  private static final List<String> NAMES = List.of("localhost", "127.0.0.1", "::1", "node-1");

  @TempDir Path directory;

  private NodeTls prepare(Instant now, List<String> names) throws StorageException {
    return TlsDirectory.prepare(directory.resolve("tls"), names, Clock.fixed(now, ZoneOffset.UTC));
  }

  private static X509Certificate read(Path file) throws Exception {
    try (InputStream in = Files.newInputStream(file)) {
      return (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(in);
    }
  }

  @Test
  void certificateIsSignedByTheAuthorityAndNamesTheNode() throws Exception {
    NodeTls tls = prepare(NOW, NAMES);
    X509Certificate ca = read(tls.caCertificate());
    X509Certificate server = read(tls.certificate());
    server.verify(ca.getPublicKey());
    ca.verify(ca.getPublicKey());
    assertThat(ca.getBasicConstraints()).isGreaterThanOrEqualTo(0);
    assertThat(server.getBasicConstraints()).isEqualTo(-1);
    assertThat(server.getSubjectAlternativeNames().stream().map(n -> n.get(1)).toList())
        .extracting(Object::toString)
        .containsExactlyInAnyOrder("localhost", "127.0.0.1", "0:0:0:0:0:0:0:1", "node-1");
    assertThat(tls.serverContext().getProtocol()).isEqualTo("TLS");
  }

  @Test
  void onlyTheOwnerReadsTheKeys() throws Exception {
    prepare(NOW, NAMES);
    for (String key : List.of("ca.key", "server.key")) {
      assertThat(Files.getPosixFilePermissions(directory.resolve("tls").resolve(key)))
          .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    }
  }

  @Test
  void filesStayWhileTheyAreGood() throws Exception {
    byte[] first = Files.readAllBytes(prepare(NOW, NAMES).certificate());
    byte[] second = Files.readAllBytes(prepare(NOW.plus(Duration.ofDays(19)), NAMES).certificate());
    assertThat(second).isEqualTo(first);
  }

  @Test
  void certificateIsRenewedBeforeItExpires() throws Exception {
    NodeTls tls = prepare(NOW, NAMES);
    X509Certificate ca = read(tls.caCertificate());
    X509Certificate first = read(tls.certificate());
    X509Certificate second = read(prepare(NOW.plus(Duration.ofDays(21)), NAMES).certificate());
    assertThat(second.getNotAfter()).isAfter(first.getNotAfter());
    assertThat(read(tls.caCertificate())).isEqualTo(ca);
  }

  @Test
  void certificateLastsThirtyDaysAndIsDueTenDaysBeforeItsEnd() throws Exception {
    NodeTls tls = prepare(NOW, NAMES);
    Path files = directory.resolve("tls");

    assertThat(read(tls.certificate()).getNotAfter().toInstant())
        .isEqualTo(NOW.plus(Duration.ofDays(30)));
    assertThat(TlsDirectory.isDue(files, at(NOW.plus(Duration.ofDays(20))))).isFalse();
    assertThat(TlsDirectory.isDue(files, at(NOW.plus(Duration.ofDays(20)).plusSeconds(1))))
        .isTrue();
    // The authority expires after 3650 days, and signs no certificates beyond that.
    Instant last = NOW.plus(Duration.ofDays(3649));
    prepare(last, NAMES);
    assertThat(TlsDirectory.isDue(files, at(last))).isFalse();
  }

  @Test
  void renewalKeepsKeyAndNames() throws Exception {
    NodeTls tls = prepare(NOW, NAMES);
    String known = tls.keyFingerprint();
    Path files = directory.resolve("tls");
    List<String> names = TlsDirectory.presentNames(files);

    TlsDirectory.renew(files, "node-1", names, at(NOW.plus(Duration.ofDays(1))));
    assertThat(read(tls.certificate()).getNotAfter().toInstant())
        .isEqualTo(NOW.plus(Duration.ofDays(31)));
    assertThat(tls.keyFingerprint()).isEqualTo(known);
    assertThat(TlsDirectory.presentNames(files)).isEqualTo(names);
  }

  private static Clock at(Instant time) {
    return Clock.fixed(time, ZoneOffset.UTC);
  }

  @Test
  void certificateIsReplacedForANewName() throws Exception {
    prepare(NOW, NAMES);
    X509Certificate second = read(prepare(NOW, List.of("localhost", "10.0.2.2")).certificate());
    assertThat(second.getSubjectAlternativeNames().toString()).contains("10.0.2.2");
  }

  @Test
  void renewedCertificateKeepsTheKeyOfTheNode() throws Exception {
    String known = prepare(NOW, NAMES).keyFingerprint();

    NodeTls renamed = prepare(NOW, List.of("localhost", "10.0.2.2"));
    assertThat(renamed.keyFingerprint()).isEqualTo(known);
    assertThat(renamed.serverContext()).isNotNull();
    assertThat(prepare(NOW.plus(Duration.ofDays(21)), NAMES).keyFingerprint()).isEqualTo(known);
  }

  @Test
  void keyThatCannotBeUsedIsReplacedAtARenewal() throws Exception {
    NodeTls tls = prepare(NOW, NAMES);
    String known = tls.keyFingerprint();
    Files.writeString(tls.key(), "no key");

    NodeTls renewed = prepare(NOW, List.of("localhost", "10.0.2.2"));
    assertThat(renewed.serverContext()).isNotNull();
    assertThat(renewed.keyFingerprint()).isNotEqualTo(known);
  }

  @Test
  void keyAndCertificateThatDoNotMatchAreReplaced() throws Exception {
    NodeTls tls = prepare(NOW, NAMES);
    Files.copy(
        directory.resolve("tls/ca.key"),
        tls.key(),
        java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    assertThat(prepare(NOW, NAMES).serverContext()).isNotNull();
  }

  @Test
  void certificateOfAnotherAuthorityIsLeftAlone() throws Exception {
    NodeTls tls = prepare(NOW, NAMES);
    NodeTls other =
        TlsDirectory.prepare(directory.resolve("other"), NAMES, Clock.fixed(NOW, ZoneOffset.UTC));
    Files.delete(directory.resolve("tls/ca.key"));
    for (Path[] pair :
        List.of(
            new Path[] {other.caCertificate(), tls.caCertificate()},
            new Path[] {other.certificate(), tls.certificate()},
            new Path[] {other.key(), tls.key()})) {
      Files.copy(pair[0], pair[1], java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    }
    byte[] before = Files.readAllBytes(tls.certificate());
    assertThat(Files.readAllBytes(prepare(NOW, List.of("elsewhere")).certificate()))
        .isEqualTo(before);
  }

  @Test
  void certificateWithoutItsAuthorityIsRefusedWithTheRemedy() throws Exception {
    NodeTls tls = prepare(NOW, NAMES);
    Files.delete(tls.caCertificate());
    assertThatThrownBy(() -> prepare(NOW, NAMES))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("ca.crt")
        .hasMessageContaining("remove server.crt");
  }

  @Test
  void keyInTheFormsOfOpensslIsTaken() throws Exception {
    NodeTls tls = prepare(NOW, NAMES);
    Path traditional = directory.resolve("traditional.key");
    openssl("ec", "-in", tls.key().toString(), "-out", traditional.toString());
    String parameters = openssl("ecparam", "-name", "prime256v1");
    assertThat(Files.readString(traditional)).contains("BEGIN EC PRIVATE KEY");
    Files.writeString(tls.key(), parameters + Files.readString(traditional));
    byte[] before = Files.readAllBytes(tls.certificate());
    assertThat(prepare(NOW, NAMES).serverContext()).isNotNull();
    assertThat(Files.readAllBytes(tls.certificate())).isEqualTo(before);
  }

  @Test
  void encryptedKeyIsRefusedWithTheRemedy() throws Exception {
    NodeTls tls = prepare(NOW, NAMES);
    String encrypted =
        openssl("pkcs8", "-topk8", "-in", tls.key().toString(), "-passout", "pass:secret");
    Files.writeString(tls.key(), encrypted);
    assertThatThrownBy(tls::serverContext)
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("server.key")
        .hasMessageContaining("-nocrypt");
  }

  @Test
  void authorityOfOpensslSignsTheServer() throws Exception {
    Path tls = Files.createDirectories(directory.resolve("tls"));
    openssl(
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-subj",
        "/O=Example/CN=Example CA",
        "-addext",
        "keyUsage=critical,keyCertSign",
        "-keyout",
        tls.resolve("ca.key").toString(),
        "-out",
        tls.resolve("ca.crt").toString());
    verifyChain(prepare(Instant.now(), NAMES));
  }

  @Test
  void opensslAcceptsTheChain() throws Exception {
    verifyChain(prepare(Instant.now(), NAMES));
  }

  private static void verifyChain(NodeTls tls) throws Exception {
    openssl(
        "verify",
        "-x509_strict",
        "-purpose",
        "sslserver",
        "-verify_ip",
        "127.0.0.1",
        "-CAfile",
        tls.caCertificate().toString(),
        tls.certificate().toString());
  }

  private static String openssl(String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of("openssl"));
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    return output;
  }
}
