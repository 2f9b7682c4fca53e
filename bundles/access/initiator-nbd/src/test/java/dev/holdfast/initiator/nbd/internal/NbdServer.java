package dev.holdfast.initiator.nbd.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.initiator.HostCondition;
import dev.holdfast.initiator.HostProgram;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** An nbdkit that serves one file and can be killed and started again. */
final class NbdServer {
  private final Path file;
  private final int port;
  private final List<String> options;
  private Process process;

  NbdServer(Path file, String... options) throws Exception {
    this.file = file;
    this.options = List.of(options);
    this.port = freePort();
    start();
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  void start() throws Exception {
    List<String> command = new ArrayList<>();
    command.add(HostProgram.require("nbdkit", "nbdkit").toString());
    command.addAll(List.of("--foreground", "--ipaddr=127.0.0.1", "--port=" + port));
    command.addAll(options);
    command.addAll(List.of("file", file.toString()));
    process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    assertThat(HostCondition.holds(Duration.ofSeconds(10), this::answers))
        .as("nbdkit listens")
        .isTrue();
  }

  private boolean answers() {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  void kill() throws Exception {
    process.destroyForcibly();
    assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
  }

  /** Lets requests wait; {@link #kill} ends the server all the same. */
  void pause() throws Exception {
    HostProgram.check(
        Duration.ofSeconds(10), List.of("kill", "-STOP", Long.toString(process.pid())));
  }

  URI endpoint() {
    return URI.create("nbd://127.0.0.1:" + port + "/");
  }
}
