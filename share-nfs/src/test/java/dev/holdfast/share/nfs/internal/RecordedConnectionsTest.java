package dev.holdfast.share.nfs.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.share.nfs.internal.address.NfsConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecordedConnectionsTest {
  private static final NfsConnection ONE = new NfsConnection("10.0.0.1", 700);
  private static final NfsConnection TWO = new NfsConnection("10.0.0.2", 701);

  @TempDir Path folder;
  private final RecordedConnections clients = new RecordedConnections();

  @Test
  void clientsThatHaveNotReconnectedStayKnownDuringGrace() throws Exception {
    Path file = folder.resolve("probe");
    Files.writeString(file, clients.update("v", List.of(ONE, TWO), false) + "\0\0\0");
    RecordedConnections next = new RecordedConnections();
    assertThat(next.load("v", file)).containsExactly(ONE, TWO);
    NfsConnection again = new NfsConnection("10.0.0.1", 900);
    assertThat(next.update("v", List.of(again), true).lines())
        .containsExactly(ONE.toString(), again.toString(), TWO.toString());
    assertThat(next.update("v", List.of(again), false).lines()).containsExactly(again.toString());
  }

  @Test
  void absentFileNamesNoClient() {
    assertThat(clients.load("v", folder.resolve("absent"))).isEmpty();
  }

  @Test
  void linkIsNotFollowedAndOneBlockIsRead() throws Exception {
    Path file = folder.resolve("probe");
    Files.writeString(file, "\n".repeat(4096) + ONE);
    assertThat(clients.load("v", file)).isEmpty();
    Files.writeString(file, ONE + "\n");
    assertThat(clients.load("v", file)).containsExactly(ONE);
    Path link = Files.createSymbolicLink(folder.resolve("link"), file);
    assertThat(clients.load("v", link)).isEmpty();
  }

  @Test
  void textFitsInOneBlock() {
    List<NfsConnection> many =
        IntStream.range(0, 1000)
            .mapToObj(i -> new NfsConnection("255.255.255." + i % 256, 60_000 + i))
            .toList();
    assertThat(clients.update("v", many, false)).hasSizeLessThan(4096);
  }
}
