package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Backing images of the real distribution: delivered, below volumes, and after a kill. */
class ImagesE2E {
  private static final int MEBIBYTE = 1 << 20;

  @TempDir Path directory;

  private Path raw;
  private Path qcow2;

  private void makeImage() throws IOException {
    raw = directory.resolve("image.raw");
    qcow2 = directory.resolve("image.qcow2");
    byte[] content = new byte[8 * MEBIBYTE];
    new Random(22).nextBytes(content);
    Files.write(raw, content);
    qemuImg("resize", "-q", "-f", "raw", raw.toString(), "32M");
    qemuImg("convert", "-c", "-O", "qcow2", raw.toString(), qcow2.toString());
  }

  private static void qemuImg(String... words) {
    Command.of(Stream.concat(Stream.of("qemu-img"), Stream.of(words)).toList()).run().succeeded();
  }

  /** A volume that is larger than its image ends with zeroes. */
  private void hasTheImage(URI volume) {
    qemuImg("compare", "-q", "-f", "raw", "-F", "raw", raw.toString(), volume.toString());
  }

  private List<Path> files(RunningNode node) throws IOException {
    try (Stream<Path> files = Files.walk(node.data().resolve("disks"))) {
      return files.filter(file -> file.endsWith("backing")).toList();
    }
  }

  private static URI volume(RunningNode node, String name) {
    node.ok("volume", "create", name, "--size", "64Mi", "--image", "base");
    return node.attach(name);
  }

  @Test
  void volumesStandOnOneCopyPerDiskAlsoAfterAKill() throws IOException {
    makeImage();
    try (RunningNode node = RunningNode.start(directory.resolve("data"))) {
      assertThat(node.run("image", "create", "base", "--url", "http://127.0.0.1:9/image").err())
          .contains("image-download-allowed-networks");
      node.ok("image", "delete", "base");
      node.ok("image", "upload", "base", qcow2.toString());
      Command.Result small =
          node.run("volume", "create", "small", "--size", "16Mi", "--image", "base");
      assertThat(small.err()).contains("small").contains("32Mi");

      URI first = volume(node, "first");
      hasTheImage(first);
      Command.of("qemu-io", "-f", "raw", "-c", "write -P 7 0 1M", first.toString())
          .run()
          .succeeded();
      URI second = volume(node, "second");
      hasTheImage(second);
      assertThat(files(node)).as("one file for each disk").hasSize(3);
      assertThat(node.run("image", "delete", "base").err()).contains("first").contains("second");

      node.kill();
      node.up().succeeded();
      Await.until(
          "the volumes are served again",
          Duration.ofMinutes(1),
          () -> Command.of("nbdinfo", second.toString()).run().exitCode() == 0);
      hasTheImage(second);
      Command.of("qemu-io", "-f", "raw", "-c", "read -P 7 0 1M", first.toString())
          .run()
          .succeeded();

      for (String name : List.of("first", "second")) {
        node.ok("volume", "detach", name);
        node.ok("volume", "delete", name);
      }
      Await.until(
          "the image is deleted",
          Duration.ofMinutes(1),
          () -> node.run("image", "delete", "base").exitCode() == 0);
      assertThat(files(node)).isEmpty();
    }
  }

  @Test
  void imageIsDownloadedFromAnAllowedNetwork() throws IOException {
    makeImage();
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/image",
        exchange -> {
          try (exchange) {
            exchange.sendResponseHeaders(200, Files.size(qcow2));
            Files.copy(qcow2, exchange.getResponseBody());
          }
        });
    server.start();
    try (RunningNode node = RunningNode.start(directory.resolve("data"))) {
      node.api()
          .create(
              "settings",
              "Setting",
              "image-download-allowed-networks",
              spec -> spec.put("value", "127.0.0.0/8"));
      int port = server.getAddress().getPort();
      node.ok("image", "create", "base", "--url", "http://127.0.0.1:" + port + "/image");
      hasTheImage(volume(node, "one"));
    } finally {
      server.stop(0);
    }
  }
}
