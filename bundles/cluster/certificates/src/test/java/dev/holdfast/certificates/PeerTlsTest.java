package dev.holdfast.certificates;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.certificates.files.TlsDirectory;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.cert.Certificate;
import java.time.Clock;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real handshakes between nodes over sockets. */
class PeerTlsTest {
  private static final List<String> NAMES = List.of("localhost", "127.0.0.1");

  @TempDir Path directory;
  private NodeTls first;

  @BeforeEach
  void makeTheFirstNode() throws Exception {
    first = own("first");
  }

  /** Returns a node with its own authority. */
  private NodeTls own(String name) throws StorageException {
    return TlsDirectory.prepare(directory.resolve(name), name, NAMES, Clock.systemUTC());
  }

  /** Returns a node whose certificate the first node's authority has signed. */
  private NodeTls joined(String name) throws Exception {
    Path own = directory.resolve(name);
    String request = TlsDirectory.request(own, name, NAMES);
    NodeAuthority authority = TlsDirectory.authority(directory.resolve("first"), Clock.systemUTC());
    TlsDirectory.accept(
        own, authority.certificate(), authority.sign(TlsDirectory.parseRequest(request)));
    return TlsDirectory.prepare(own, name, NAMES, Clock.systemUTC());
  }

  /**
   * Certificates that both sides received.
   *
   * @param byServer the client's certificates
   * @param byClient the server's certificates
   */
  private record Met(List<Certificate> byServer, List<Certificate> byClient) {}

  /** Connects a client to a server that requires its certificate. */
  private static Met handshake(SSLContext serverSide, SSLContext clientSide) throws IOException {
    try (SSLServerSocket listening =
        (SSLServerSocket)
            serverSide
                .getServerSocketFactory()
                .createServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      listening.setNeedClientAuth(true);
      CompletableFuture<Certificate[]> server =
          CompletableFuture.supplyAsync(() -> greetOne(listening));
      try (SSLSocket client =
          (SSLSocket)
              clientSide
                  .getSocketFactory()
                  .createSocket(InetAddress.getLoopbackAddress(), listening.getLocalPort())) {
        if (client.getInputStream().read() != 1) {
          throw new IOException("the server closed without a greeting");
        }
        return new Met(List.of(server.join()), List.of(client.getSession().getPeerCertificates()));
      }
    }
  }

  private static Certificate[] greetOne(SSLServerSocket listening) {
    try (SSLSocket socket = (SSLSocket) listening.accept()) {
      socket.getOutputStream().write(1);
      return socket.getSession().getPeerCertificates();
    } catch (IOException e) {
      throw new CompletionException(e);
    }
  }

  @Test
  void nodesOfOneClusterVerifyEachOther() throws Exception {
    NodeTls second = joined("second");

    Met met = handshake(first.peerContext(), second.peerContext());

    assertThat(name(first, met.byServer())).isEqualTo("second");
    assertThat(name(second, met.byClient())).isEqualTo("first");
  }

  @Test
  void aNodeOfAnotherClusterIsRefused() throws Exception {
    NodeTls stranger = own("stranger");

    assertThatThrownBy(() -> handshake(first.peerContext(), stranger.peerContext()))
        .isInstanceOf(IOException.class);
    assertThatThrownBy(() -> handshake(stranger.peerContext(), first.peerContext()))
        .isInstanceOf(IOException.class);
  }

  @Test
  void aReplacedCertificateIsShownFromTheNextHandshakeOn() throws Exception {
    NodeTls second = joined("second");
    SSLContext running = first.peerContext();
    assertThat(shownBy(running, second)).isEqualTo("first");

    NodeTls renamed = joined("renamed");
    replace(renamed.key(), first.key());
    assertThat(shownBy(running, second)).as("while the files do not fit").isEqualTo("first");
    replace(renamed.certificate(), first.certificate());
    assertThat(shownBy(running, second)).isEqualTo("renamed");
  }

  private static String shownBy(SSLContext server, NodeTls client) throws Exception {
    return name(client, handshake(server, client.peerContext()).byClient());
  }

  private static String name(NodeTls node, List<Certificate> chain) throws StorageException {
    return node.peerName(chain.toArray(Certificate[]::new));
  }

  /**
   * Replaces a file and sets its time, so that the change is detected even with a coarse clock of
   * the file system.
   */
  private static void replace(Path from, Path to) throws IOException {
    FileTime later = FileTime.from(Files.getLastModifiedTime(to).toInstant().plusSeconds(1));
    Files.copy(from, to, StandardCopyOption.REPLACE_EXISTING);
    Files.setLastModifiedTime(to, later);
  }

  @Test
  void aCertificateOfAnotherSubjectIsNotAPeer() throws Exception {
    Certificate[] authority = first.trustManager().getAcceptedIssuers();

    assertThatThrownBy(() -> first.peerName(authority))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.FORBIDDEN));
    assertThatThrownBy(() -> first.peerName(new Certificate[0]))
        .isInstanceOf(StorageException.class);
  }

  @Test
  void anAnswerForAnotherKeyOrOfAnotherAuthorityIsRefused() throws Exception {
    NodeTls second = joined("second");
    NodeTls stranger = own("stranger");
    Path third = directory.resolve("third");
    TlsDirectory.request(third, "third", NAMES);
    String ca = Files.readString(second.caCertificate());
    String strangersCa = Files.readString(stranger.caCertificate());
    String certificate = Files.readString(second.certificate());

    assertThatThrownBy(() -> TlsDirectory.accept(third, ca, certificate))
        .hasMessageContaining("not for the key");
    assertThatThrownBy(
            () -> TlsDirectory.accept(directory.resolve("second"), strangersCa, certificate))
        .hasMessageContaining("not signed by the cluster's authority");
  }

  @Test
  void aRequestIsMadeForAnRsaKeyToo() throws Exception {
    Path own = Files.createDirectories(directory.resolve("rsa"));
    KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
    generator.initialize(2048);
    KeyPair pair = generator.generateKeyPair();
    Files.writeString(
        own.resolve("server.key"),
        "-----BEGIN PRIVATE KEY-----\n"
            + Base64.getMimeEncoder().encodeToString(pair.getPrivate().getEncoded())
            + "\n-----END PRIVATE KEY-----\n");

    CertificateRequest request = TlsDirectory.parseRequest(TlsDirectory.request(own, "rsa", NAMES));

    assertThat(request.key()).isEqualTo(pair.getPublic());
    assertThat(request.node()).isEqualTo("rsa");
    assertThat(request.names()).containsExactlyElementsOf(NAMES);
  }
}
