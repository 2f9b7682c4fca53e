package dev.holdfast.itests;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The page of a real node behind nginx, with the configuration of docs/operations/access.md: {@code
 * ui/e2e/proxy.mjs} has the steps.
 */
@Tag("repeatable")
class PageProxyE2E {
  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final Path GUIDE =
      Path.of(System.getProperty("holdfast.tree"), "docs", "operations", "access.md");

  @TempDir Path directory;

  @Test
  @Timeout(value = 600, unit = TimeUnit.SECONDS)
  void userWorksThroughAReverseProxyWithAPrefix() throws IOException {
    try (RunningNode node = RunningNode.start(directory.resolve("node"), "--no-demo")) {
      URI page = URI.create(node.ok("page").lines().findFirst().orElseThrow());
      int port = Ports.free().nbd();
      Process proxy = nginx(page.getPort(), port, node.data());
      try {
        Await.until("nginx listens", LIMIT, () -> listens(port));
        PageStories.play(
            "proxy",
            "https://127.0.0.1:" + port + "/storage/page/#" + page.getFragment(),
            PageStories.HOLDFAST.toString(),
            node.data().toString());
      } finally {
        proxy.destroy();
      }
    }
  }

  private static boolean listens(int port) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (ConnectException e) {
      return false;
    }
  }

  private Process nginx(int api, int port, Path data) throws IOException {
    Path home = Files.createDirectories(directory.resolve("nginx"));
    Command.of(
            "openssl",
            "req",
            "-x509",
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-days",
            "1",
            "-subj",
            "/CN=localhost",
            "-keyout",
            home + "/key.pem",
            "-out",
            home + "/cert.pem")
        .run()
        .succeeded();
    Path configuration =
        Files.writeString(
            home.resolve("nginx.conf"),
            """
            daemon off;
            pid nginx.pid;
            events {}
            http {
              access_log off;
              client_body_temp_path body;
              proxy_temp_path proxy;
              server {
                listen 127.0.0.1:%s ssl;
                ssl_certificate cert.pem;
                ssl_certificate_key key.pem;
            %s
              }
            }
            """
                .formatted(port, location(api, data)));
    return new ProcessBuilder(
            "nginx", "-p", home.toString(), "-e", "error.log", "-c", configuration.toString())
        .redirectErrorStream(true)
        .redirectOutput(home.resolve("output").toFile())
        .start();
  }

  /** Returns the part of the configuration that the guide shows, for this node. */
  private static String location(int api, Path data) throws IOException {
    return Pattern.compile("```nginx\n(.*?)```", Pattern.DOTALL)
        .matcher(Files.readString(GUIDE))
        .results()
        .map(block -> block.group(1))
        .findFirst()
        .orElseThrow()
        .replace("https://10.0.0.1:7443/", "https://127.0.0.1:" + api + "/")
        .replace("/etc/holdfast/ca.crt", data.resolve("tls/ca.crt").toString());
  }
}
