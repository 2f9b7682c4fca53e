package dev.holdfast.portal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.frontend.PublishedExport;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The socket of the node's own account. */
@Timeout(30)
final class LocalSocketTest {
  private Path data;
  private Optional<SocketPortal> portal = Optional.empty();

  /** Short, because the kernel takes at most 107 bytes for the path of a socket. */
  @BeforeEach
  void prepare() throws IOException {
    data = Files.createTempDirectory(Path.of("/tmp"), "hf");
  }

  @AfterEach
  void remove() throws IOException {
    portal.ifPresent(SocketPortal::close);
    Files.deleteIfExists(data.resolve("run"));
    Files.delete(data);
  }

  private PublishedExport publish(Map<String, String> properties) throws Exception {
    SocketPortal started =
        new SocketPortal(
            new PortalSettings(
                name ->
                    switch (name) {
                      case "holdfast.data" -> Optional.of(data.toString());
                      case "holdfast.echo.port" -> Optional.of("0");
                      default -> Optional.ofNullable(properties.get(name));
                    }));
    portal = Optional.of(started);
    started.arrived(new EchoFrontend().withLocalSocket());
    return started.publish("echo", "a", new IdleBlockDevice());
  }

  private int answer() throws IOException {
    try (SocketChannel client =
        SocketChannel.open(UnixDomainSocketAddress.of(data.resolve("run/echo.sock")))) {
      client.write(ByteBuffer.wrap(new byte[] {1, 'a'}));
      ByteBuffer answer = ByteBuffer.allocate(1);
      return client.read(answer) < 0 ? -1 : answer.get(0);
    }
  }

  @Test
  void ownAccountReachesTheExports() throws Exception {
    publish(Map.of());
    assertThat(answer()).isEqualTo('a');
  }

  @Test
  void otherAccountsReachNeitherSocketNorDirectory() throws Exception {
    publish(Map.of());
    assertThat(mode("run")).isEqualTo("rwx------");
    assertThat(mode("run/echo.sock")).isEqualTo("rw-------");
  }

  private String mode(String name) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(data.resolve(name)));
  }

  @Test
  void addressOfTheEndpointStandsBesideTheSocket() throws Exception {
    PublishedExport export = publish(Map.of());
    assertThat(data.resolve("run/echo.address")).hasContent(export.endpoint().getRawAuthority());
  }

  @Test
  void socketNeedsNoTlsWhereOthersNeedIt() throws Exception {
    publish(Map.of("holdfast.echo.tls", "require"));
    assertThat(answer()).isEqualTo('a');
  }

  @Test
  void socketThatAKilledNodeLeftIsReplaced() throws Exception {
    Files.createDirectory(data.resolve("run"));
    Files.write(data.resolve("run/echo.sock"), new byte[0]);
    publish(Map.of());
    assertThat(answer()).isEqualTo('a');
  }

  @Test
  void withdrawnExportEndsItsLocalConnections() throws Exception {
    PublishedExport export = publish(Map.of());
    try (SocketChannel client =
        SocketChannel.open(UnixDomainSocketAddress.of(data.resolve("run/echo.sock")))) {
      client.write(ByteBuffer.wrap(new byte[] {1, 'a'}));
      ByteBuffer answer = ByteBuffer.allocate(2);
      assertThat(client.read(answer)).isEqualTo(1);
      export.close();
      assertThat(client.read(answer)).isEqualTo(-1);
    }
  }
}
