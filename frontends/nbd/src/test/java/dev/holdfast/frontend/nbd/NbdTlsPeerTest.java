package dev.holdfast.frontend.nbd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.frontend.testkit.MemoryBlockDevice;
import dev.holdfast.frontend.testkit.Peer;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** libnbd (GnuTLS) against the portal's TLS. */
final class NbdTlsPeerTest {
  private static final int SIZE = 8 << 20;

  @TempDir private Path data;
  private Path certificates;

  @BeforeEach
  void makeCertificates() throws Exception {
    Path tls = Files.createDirectory(data.resolve("tls"));
    certificates = Files.createDirectory(data.resolve("client"));
    String[] authority = {
      "openssl",
      "req",
      "-x509",
      "-newkey",
      "ec",
      "-pkeyopt",
      "ec_paramgen_curve:P-256",
      "-nodes",
      "-days",
      "2",
      "-subj",
      "/CN=test-ca",
      "-keyout",
      data.resolve("ca.key").toString(),
      "-out",
      tls.resolve("ca.crt").toString()
    };
    Peer.run(authority);
    Peer.run(
        "openssl",
        "req",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:P-256",
        "-nodes",
        "-subj",
        "/CN=127.0.0.1",
        "-addext",
        "subjectAltName=IP:127.0.0.1",
        "-keyout",
        tls.resolve("server.key").toString(),
        "-out",
        tls.resolve("server.csr").toString());
    Peer.run(
        "openssl",
        "x509",
        "-req",
        "-in",
        tls.resolve("server.csr").toString(),
        "-CA",
        tls.resolve("ca.crt").toString(),
        "-CAkey",
        data.resolve("ca.key").toString(),
        "-CAcreateserial",
        "-days",
        "2",
        "-copy_extensions",
        "copy",
        "-out",
        tls.resolve("server.crt").toString());
    Files.copy(tls.resolve("ca.crt"), certificates.resolve("ca-cert.pem"));
  }

  @Test
  void encryptedCopyIsIdentical() throws Exception {
    byte[] content = new byte[SIZE];
    new Random(5).nextBytes(content);
    Path source = data.resolve("source");
    Path target = data.resolve("target");
    Files.write(source, content);
    try (NbdServerFixture server = NbdServerFixture.withTls(data, "require")) {
      String uri = encrypted(server.publish("secret", new MemoryBlockDevice(SIZE)));
      assertThat(Peer.run("nbdinfo", uri)).contains("newstyle-fixed with TLS");
      Peer.run("nbdcopy", source.toString(), uri);
      Peer.run("nbdcopy", uri, target.toString());
    }
    assertThat(Files.mismatch(source, target)).isEqualTo(-1);
  }

  @Test
  void plainClientSeesNothingWhereTlsIsRequired() throws Exception {
    try (NbdServerFixture server = NbdServerFixture.withTls(data, "require")) {
      URI endpoint = server.publish("secret", new MemoryBlockDevice(SIZE));
      assertThat(Peer.attempt("nbdinfo", endpoint.toString()).exitCode()).isNotZero();
      Peer.Outcome list =
          Peer.attempt(
              "nbdinfo", "--list", "nbd://" + endpoint.getHost() + ":" + endpoint.getPort());
      assertThat(list.output()).doesNotContain("export=\"secret\"");
    }
  }

  @Test
  void bothKindsOfClientAreServedWhereTlsIsOffered() throws Exception {
    try (NbdServerFixture server = NbdServerFixture.withTls(data, "offer")) {
      URI endpoint = server.publish("mixed", new MemoryBlockDevice(SIZE));
      assertThat(Peer.run("nbdinfo", endpoint.toString())).contains("without TLS");
      assertThat(Peer.run("nbdinfo", encrypted(endpoint))).contains("with TLS");
    }
  }

  @Test
  void tlsIsRefusedWithoutACertificate() throws Exception {
    Files.delete(data.resolve("tls").resolve("server.crt"));
    try (NbdServerFixture server = NbdServerFixture.withTls(data, "offer")) {
      String uri = encrypted(server.publish("plain", new MemoryBlockDevice(SIZE)));
      assertThat(Peer.attempt("nbdinfo", uri).exitCode()).isNotZero();
    }
  }

  private String encrypted(URI endpoint) {
    return endpoint.toString().replace("nbd://", "nbds://") + "?tls-certificates=" + certificates;
  }
}
