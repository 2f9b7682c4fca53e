package dev.holdfast.frontend.nbd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.frontend.TlsPolicy;
import dev.holdfast.frontend.nbd.internal.NbdFrontend;
import dev.holdfast.frontend.testkit.MemoryBlockDevice;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

/** Any input of a client ends in a reply or a closed connection. */
final class NbdFuzzTest {
  private static final int SIZE = 256 << 10;

  @Property(tries = 3000)
  void sessionSurvivesAnyStream(
      @ForAll("streams") byte[] stream,
      @ForAll @IntRange(min = 1, max = 400) int piece,
      @ForAll TlsPolicy tls) {
    play(stream, piece, tls);
  }

  @Property(tries = 3000)
  void sessionSurvivesAnyBytesAfterGo(
      @ForAll("requests") byte[] stream, @ForAll @IntRange(min = 1, max = 400) int piece) {
    for (int style = 0; style < 3; style++) {
      play(Streams.concat(List.of(Streams.intoTransmission(style), stream)), piece, TlsPolicy.OFF);
    }
  }

  @Example
  void keptStreamsStayHarmless() throws IOException, URISyntaxException {
    Path corpus = Path.of(NbdFuzzTest.class.getResource("/corpus").toURI());
    try (Stream<Path> files = Files.list(corpus)) {
      for (Path file : files.sorted().toList()) {
        byte[] stream = Streams.parse(Files.readString(file));
        for (int piece : new int[] {1, 7, 4096}) {
          play(stream, piece, TlsPolicy.OFFERED);
        }
      }
    }
  }

  @Property(tries = 150)
  void serverStillServesAfterwards(@ForAll("streams") byte[] stream) throws Exception {
    try (NbdServerFixture server = NbdServerFixture.start()) {
      URI endpoint = server.publish("fuzzed", new MemoryBlockDevice(SIZE));
      try (Socket socket = new Socket(endpoint.getHost(), endpoint.getPort())) {
        OutputStream out = socket.getOutputStream();
        out.write(stream);
        socket.shutdownOutput();
        InputStream in = socket.getInputStream();
        while (in.read() >= 0) {
          // Read until the server closes the connection.
        }
      } catch (IOException e) {
        // The server may close the connection while the test still sends.
      }
      try (NbdClient client = NbdClient.connect(endpoint, NbdClient.Style.EXTENDED)) {
        assertThat(FrontendWait.get(client.read(0, 512))).hasSize(512);
      }
    }
  }

  @Provide
  Arbitrary<byte[]> streams() {
    Arbitrary<byte[]> valid =
        Arbitraries.oneOf(Streams.option(), Streams.option(), Streams.request(false))
            .list()
            .ofMaxSize(8)
            .map(
                messages ->
                    Streams.concat(List.of(Streams.clientFlags(), Streams.concat(messages))));
    return Arbitraries.oneOf(valid, Streams.mutated(valid), Streams.garbage());
  }

  @Provide
  Arbitrary<byte[]> requests() {
    Arbitrary<byte[]> valid =
        Arbitraries.oneOf(Streams.request(false), Streams.request(true))
            .list()
            .ofMaxSize(8)
            .map(Streams::concat);
    return Arbitraries.oneOf(valid, Streams.mutated(valid), Streams.garbage());
  }

  static void play(byte[] stream, int piece, TlsPolicy tls) {
    ScriptedNbdConnection connection =
        new ScriptedNbdConnection("fuzzed", new MemoryBlockDevice(SIZE), tls);
    connection.feed(new NbdFrontend().open(connection), stream, piece);
  }
}
