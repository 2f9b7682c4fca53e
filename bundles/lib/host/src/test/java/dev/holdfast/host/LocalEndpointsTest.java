package dev.holdfast.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
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
}
