package dev.holdfast.kube.testkit;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A real etcd with one member on a free port of loopback. Not thread-safe. */
public final class EtcdServer implements AutoCloseable {
  private static final long START_LIMIT_SECONDS = 60;
  private static final HttpClient HTTP =
      HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(2)).build();

  private final Path directory;
  private final int port;
  private final int peerPort;
  private final int metricsPort;
  private final List<String> options;
  private TestProgram program;

  private EtcdServer(Path directory, List<String> options) throws IOException {
    this.directory = directory;
    this.port = TestProgram.freePort();
    this.peerPort = TestProgram.freePort();
    this.metricsPort = TestProgram.freePort();
    this.options = List.copyOf(options);
    this.program = run();
  }

  /**
   * Starts an empty server and waits until it answers.
   *
   * @param directory folder for its data and log, created if missing
   * @param options of etcd beyond the addresses; with {@code --cert-file} clients use TLS
   * @throws IOException when it does not start
   */
  public static EtcdServer start(Path directory, String... options) throws IOException {
    Files.createDirectories(directory);
    return new EtcdServer(directory, List.of(options));
  }

  private TestProgram run() throws IOException {
    String peer = "http://127.0.0.1:" + peerPort;
    List<String> command =
        new ArrayList<>(
            List.of(
                TestProgram.path("etcd"),
                "--name=test",
                "--data-dir=" + directory.resolve("etcd"),
                "--listen-client-urls=" + endpoint(),
                "--advertise-client-urls=" + endpoint(),
                "--listen-metrics-urls=http://127.0.0.1:" + metricsPort,
                "--listen-peer-urls=" + peer,
                "--initial-advertise-peer-urls=" + peer,
                "--initial-cluster=test=" + peer,
                "--unsafe-no-fsync",
                "--log-level=warn"));
    command.addAll(options);
    TestProgram started = TestProgram.start(command, directory.resolve("etcd.log"));
    started.await(this::isHealthy, START_LIMIT_SECONDS);
    return started;
  }

  private boolean isHealthy() {
    URI health = URI.create("http://127.0.0.1:" + metricsPort + "/health");
    try {
      return HTTP.send(HttpRequest.newBuilder(health).build(), HttpResponse.BodyHandlers.ofString())
              .statusCode()
          == 200;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Returns the URL for clients, never null. */
  public String endpoint() {
    boolean tls = options.stream().anyMatch(option -> option.startsWith("--cert-file"));
    return (tls ? "https" : "http") + "://127.0.0.1:" + port;
  }

  /** Kills the server, like a loss of power. */
  public void kill() {
    program.close();
  }

  /**
   * Restarts the server with its data.
   *
   * @throws IOException when it does not start
   */
  public void restart() throws IOException {
    kill();
    program = run();
  }

  @Override
  public void close() {
    kill();
  }
}
