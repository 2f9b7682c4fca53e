package dev.holdfast.certificates.files;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.certificates.NodeTls;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MemberCredentialTest {
  @TempDir Path data;

  private NodeTls node(String... names) throws Exception {
    return TlsDirectory.prepare(data.resolve("tls"), "node-2", List.of(names), Clock.systemUTC());
  }

  private MemberCredential credential() throws Exception {
    return MemberCredential.of(data).orElseThrow();
  }

  @Test
  void credentialHasTheCertificateOfTheNodeAndItsPublicKey() throws Exception {
    NodeTls tls = node("127.0.0.1");
    MemberCredential credential = credential();
    Path folder = credential.folder();
    assertThat(credential.node()).isEqualTo("node-2");
    assertThat(folder.resolve("ca-cert.pem")).hasSameBinaryContentAs(tls.caCertificate());
    assertThat(folder.resolve("client-cert.pem")).hasSameBinaryContentAs(tls.certificate());
    assertThat(Files.readString(folder.resolve("client-key.pem"))).contains("BEGIN EC PRIVATE KEY");
    assertThat(Files.getPosixFilePermissions(folder.resolve("client-key.pem")))
        .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    assertThat(Files.getPosixFilePermissions(folder))
        .isEqualTo(PosixFilePermissions.fromString("rwx------"));
  }

  @Test
  void filesChangeOnlyWithTheCertificate() throws Exception {
    node("127.0.0.1");
    Path certificate = credential().folder().resolve("client-cert.pem");
    FileTime unchanged = FileTime.fromMillis(0);
    Files.setLastModifiedTime(certificate, unchanged);
    assertThat(Files.getLastModifiedTime(credential().folder().resolve("client-cert.pem")))
        .isEqualTo(unchanged);

    NodeTls renewed = node("127.0.0.1", "10.0.2.2");
    assertThat(credential().folder().resolve("client-cert.pem"))
        .hasSameBinaryContentAs(renewed.certificate());
  }

  @Test
  void nameOfTheNodeIsKnownWithoutWriting() throws Exception {
    node("127.0.0.1");
    assertThat(MemberCredential.nodeOf(data)).contains("node-2");
    assertThat(data.resolve("tls/client")).doesNotExist();
  }

  @Test
  void directoryWithoutANodeHasNoCredential() throws Exception {
    assertThat(MemberCredential.of(data)).isEmpty();
    assertThat(MemberCredential.nodeOf(data)).isEmpty();
    Files.delete(node("127.0.0.1").key());
    assertThat(MemberCredential.of(data)).isEmpty();
    assertThat(MemberCredential.nodeOf(data)).isEmpty();
  }
}
