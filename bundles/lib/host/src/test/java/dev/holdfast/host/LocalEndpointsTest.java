package dev.holdfast.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LocalEndpointsTest {
  private static final URI FIRST = URI.create("nbd://127.0.0.1:10809/demo");
  private static final URI SECOND = URI.create("nbd://127.0.0.2:10809/demo");

  @TempDir private Path folder;

  private void serve(Path data, URI endpoint) throws IOException {
    Path run = Files.createDirectories(data.resolve("run"));
    Files.writeString(run.resolve("nbd.address"), endpoint.getRawAuthority());
    Files.write(run.resolve("nbd.sock"), new byte[0]);
  }

  @Test
  void endpointOfThisNodeIsItsSocket() throws Exception {
    serve(folder, FIRST);
    assertThat(new LocalEndpoints(folder).of(FIRST))
        .isEqualTo(URI.create("nbd+unix:///demo?socket=" + folder + "/run/nbd.sock"));
    assertThat(LocalEndpoints.besides(folder.resolve("initiators")).socket(FIRST))
        .contains(folder.resolve("run/nbd.sock"));
  }

  @Test
  void endpointOfAnotherNodeStaysAsItIs() throws Exception {
    serve(folder, FIRST);
    assertThat(new LocalEndpoints(folder).of(SECOND)).isEqualTo(SECOND);
  }

  @Test
  void nodesOfOneMachineFindEachOther() throws Exception {
    Path second = folder.resolve("nodes/node-2");
    serve(folder, FIRST);
    serve(second, SECOND);
    assertThat(new LocalEndpoints(folder).socket(SECOND)).contains(second.resolve("run/nbd.sock"));
    assertThat(new LocalEndpoints(second).socket(FIRST)).contains(folder.resolve("run/nbd.sock"));
  }

  @Test
  void otherProtocolsHaveNoSocket() throws Exception {
    serve(folder, FIRST);
    URI iscsi = URI.create("iscsi://127.0.0.1:10809/demo");
    assertThat(new LocalEndpoints(folder).of(iscsi)).isEqualTo(iscsi);
  }

  @Test
  void charactersOfThePathThatUrisReserveAreEncoded() throws Exception {
    Path data = Files.createDirectories(folder.resolve("a b&c+d"));
    serve(data, FIRST);
    assertThat(new LocalEndpoints(data).of(FIRST).toString())
        .isEqualTo("nbd+unix:///demo?socket=" + folder + "/a%20b%26c%2Bd/run/nbd.sock");
    assertThat(new LocalEndpoints(data).of(FIRST).getQuery())
        .isEqualTo("socket=" + data + "/run/nbd.sock");
  }

  @Test
  void socketOfKilledNodeIsAwaitedUntilTheNextOneListens() throws Exception {
    serve(folder, FIRST);
    Path socket = folder.resolve("run/nbd.sock");
    Files.delete(socket);
    ServerSocketChannel.open(StandardProtocolFamily.UNIX)
        .bind(UnixDomainSocketAddress.of(socket))
        .close();
    LocalEndpoints endpoints = new LocalEndpoints(folder);
    CountDownLatch asked = new CountDownLatch(1);

    CompletableFuture<Optional<Path>> waiting =
        CompletableFuture.supplyAsync(
            () -> {
              asked.countDown();
              return awaited(endpoints, Duration.ofSeconds(60));
            });
    asked.await();
    assertThat(awaited(endpoints, Duration.ZERO)).as("without a server").contains(socket);
    assertThat(waiting).as("without a server").isNotDone();

    Files.delete(socket);
    try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      server.bind(UnixDomainSocketAddress.of(socket));
      assertThat(waiting.get(60, TimeUnit.SECONDS)).contains(socket);
      server.accept().close();
    }
  }

  @Test
  void endpointOfAnotherMachineIsNotAwaited() throws Exception {
    serve(folder, FIRST);
    assertThat(new LocalEndpoints(folder).awaitSocket(SECOND, Duration.ofDays(1))).isEmpty();
  }

  private static Optional<Path> awaited(LocalEndpoints endpoints, Duration patience) {
    try {
      return endpoints.awaitSocket(FIRST, patience);
    } catch (StorageException e) {
      throw new IllegalStateException(e);
    }
  }
}
