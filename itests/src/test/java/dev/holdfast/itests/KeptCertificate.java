package dev.holdfast.itests;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A copy of a node's certificate and key, as a client of the port for calls between nodes. */
final class KeptCertificate {
  /** The first bytes of an HTTP/2 client: the preface and an empty settings frame. */
  private static final byte[] BEGIN =
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0".getBytes(StandardCharsets.ISO_8859_1);

  private final Path folder;

  private KeptCertificate(Path folder) {
    this.folder = folder;
  }

  /** Copies what a node has below its data directory. */
  static KeptCertificate of(Path data, Path folder) {
    Command.of("cp", "-r", data.resolve("tls").toString(), folder.toString()).run().succeeded();
    return new KeptCertificate(folder);
  }

  private String file(String name) {
    return folder.resolve(name).toString();
  }

  /** Returns whether a call gets an answer. */
  boolean isAdmitted(String address, int port) {
    return Command.of(
                "curl",
                "--silent",
                "--show-error",
                "--insecure",
                "--http2",
                "--max-time",
                "20",
                "--output",
                "/dev/null",
                "--cert",
                file("server.crt"),
                "--key",
                file("server.key"),
                "https://" + address + ":" + port + "/")
            .run()
            .exitCode()
        == 0;
  }

  /** Opens a connection that stays idle. */
  Connection connect(String address, int port) throws IOException {
    Process process =
        new ProcessBuilder(
                List.of(
                    "openssl",
                    "s_client",
                    "-quiet",
                    "-alpn",
                    "h2",
                    "-cert",
                    file("server.crt"),
                    "-key",
                    file("server.key"),
                    "-connect",
                    address + ":" + port))
            .redirectError(Redirect.DISCARD)
            .start();
    OutputStream out = process.getOutputStream();
    out.write(BEGIN);
    out.flush();
    // The server's own settings: it has admitted the client.
    int first = process.getInputStream().read();
    if (first < 0) {
      process.destroyForcibly();
      throw new IOException("the server ended the connection");
    }
    return new Connection(process);
  }

  /** A connection. */
  record Connection(Process process) implements AutoCloseable {
    /** Waits until the server ends it; returns false when it does not. */
    boolean ends() throws Exception {
      CompletableFuture<Integer> rest =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return process.getInputStream().readAllBytes().length;
                } catch (IOException e) {
                  return 0;
                }
              });
      return rest.completeOnTimeout(-1, 9, TimeUnit.SECONDS).get() >= 0;
    }

    @Override
    public void close() {
      process.destroyForcibly();
    }
  }
}
