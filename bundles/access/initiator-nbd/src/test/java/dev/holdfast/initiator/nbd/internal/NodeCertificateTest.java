package dev.holdfast.initiator.nbd.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.certificates.files.MemberCredential;
import dev.holdfast.certificates.files.TlsDirectory;
import dev.holdfast.error.StorageException;
import dev.holdfast.initiator.HostProgram;
import dev.holdfast.initiator.HostState;
import dev.holdfast.initiator.InitiatorConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server of NBD that requires a client's certificate of the cluster's authority. */
class NodeCertificateTest {
  @TempDir private Path folder;
  private NbdServer server;
  private Path data;

  @BeforeEach
  void serve() throws Exception {
    Path image = Files.write(folder.resolve("image"), new byte[1 << 20]);
    data = folder.resolve("data");
    TlsDirectory.prepare(data.resolve("tls"), "node-2", List.of("127.0.0.1"), Clock.systemUTC());
    Path keys = Files.createDirectory(folder.resolve("server"));
    Path own = MemberCredential.of(data).orElseThrow().folder();
    Files.copy(own.resolve("ca-cert.pem"), keys.resolve("ca-cert.pem"));
    Files.copy(own.resolve("client-cert.pem"), keys.resolve("server-cert.pem"));
    Files.copy(own.resolve("client-key.pem"), keys.resolve("server-key.pem"));
    server =
        new NbdServer(image, "--tls=require", "--tls-verify-peer", "--tls-certificates=" + keys);
  }

  @AfterEach
  void stop() throws Exception {
    initiator(data).disconnect("demo");
    server.kill();
  }

  private static DaemonInitiator initiator(Path node) {
    return new DaemonInitiator(new FuseLoopDevice(), new HostState(node.resolve("initiators")));
  }

  @Test
  void nodeShowsItsCertificate() throws Exception {
    assertThat(new FuseLoopDevice().obstacle()).as("needs root, FUSE and loop devices").isEmpty();
    InitiatorConnection connection = initiator(data).connect("demo", server.endpoint());
    assertThat(
            HostProgram.check(
                Duration.ofSeconds(60),
                List.of("/usr/sbin/blockdev", "--getsize64", connection.device())))
        .isEqualTo("1048576");
  }

  @Test
  void hostThatIsNotANodeIsRefused() throws Exception {
    assertThatThrownBy(() -> initiator(folder.resolve("other")).connect("demo", server.endpoint()))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("TLS");
  }
}
