package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Backing images of the real distribution: delivered, below volumes, and after a kill. */
class ImagesE2E {
  private static final int MEBIBYTE = 1 << 20;
  private static final int LARGE_MEBIBYTES = 80;

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
  void volumesShareOneCopyPerDiskAlsoAfterAKill() throws IOException {
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

      encryptsAndDecrypts(node);
      node.ok("image", "create", "exported", "--from-volume", "first");
      Path loaded = directory.resolve("exported.raw");
      node.ok("image", "download", "exported", loaded.toString());
      qemuImg("compare", "-q", "-f", "raw", "-F", "raw", loaded.toString(), first.toString());
      node.ok("image", "delete", "copy");
      node.ok("image", "delete", "exported");

      node.ok("volume", "create", "own", "--from", "first", "--clone-mode", "full-copy");
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

      awaitCopy(node, "own");
      for (String name : List.of("first", "second")) {
        node.ok("volume", "detach", name);
        node.ok("volume", "delete", name, "--grace", "0s");
      }
      Await.until(
          "the image is deleted",
          Duration.ofMinutes(1),
          () -> node.run("image", "delete", "base").exitCode() == 0);
      assertThat(files(node)).isEmpty();
      qemuImg(
          "compare",
          "-q",
          "-f",
          "raw",
          "-F",
          "raw",
          loaded.toString(),
          node.attach("own").toString());
    }
  }

  /** Waits for a full copy, which has no backing image; the kill may have interrupted it. */
  private static void awaitCopy(RunningNode node, String volume) {
    Await.until(
        "volume " + volume + " is copied",
        Duration.ofMinutes(2),
        () ->
            node.api()
                .get("volumes", volume)
                .at("/status/cloneStatus/state")
                .asText()
                .equals("completed"));
  }

  /** Makes the image "copy" of an encrypted clone of the image "base". */
  private void encryptsAndDecrypts(RunningNode node) throws IOException {
    Path passphrase = Files.writeString(directory.resolve("passphrase"), "not for the log");
    Path pbkdf = Files.writeString(directory.resolve("pbkdf"), "pbkdf2");
    node.ok("secret", "set", "luks", "CRYPTO_KEY_VALUE", "--from-file", passphrase.toString());
    node.ok("secret", "set", "luks", "CRYPTO_PBKDF", "--from-file", pbkdf.toString());
    clone(node, "locked", "base", "encrypt");
    clone(node, "copy", "locked", "decrypt");
    Path container = directory.resolve("locked.luks");
    node.ok("image", "download", "locked", container.toString());
    Command.of("cryptsetup", "isLuks", "--type", "luks2", container.toString()).run().succeeded();
    Path copied = directory.resolve("copy.raw");
    node.ok("image", "download", "copy", copied.toString());
    qemuImg("compare", "-q", "-f", "raw", "-F", "raw", raw.toString(), copied.toString());
    node.ok("image", "delete", "locked");
  }

  private static void clone(RunningNode node, String name, String image, String encryption) {
    node.ok(
        "image",
        "create",
        name,
        "--from-image",
        image,
        "--parameter",
        "encryption=" + encryption,
        "--parameter",
        "secret=luks");
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
      node.ok("setting", "set", "image-download-allowed-networks", "127.0.0.0/8");
      int port = server.getAddress().getPort();
      node.ok("image", "create", "base", "--url", "http://127.0.0.1:" + port + "/image");
      hasTheImage(volume(node, "one"));
    } finally {
      server.stop(0);
    }
  }

  /** Random content of many regions, so that a copy can be killed between two of them. */
  private void makeLargeImage() throws IOException {
    raw = directory.resolve("large.raw");
    Random random = new Random(23);
    byte[] piece = new byte[MEBIBYTE];
    try (OutputStream out = Files.newOutputStream(raw)) {
      for (int i = 0; i < LARGE_MEBIBYTES; i++) {
        random.nextBytes(piece);
        out.write(piece);
      }
    }
  }

  /** Three nodes for three minutes: {@code ImageExchangeTest} copies between nodes in each run. */
  @Tag("soak")
  @Test
  void imageIsCopiedToTheNodesOfReplicasAlsoAfterAKill() throws IOException {
    makeLargeImage();
    try (Cluster cluster = Cluster.start(directory.resolve("data"), 3)) {
      cluster.ok("image", "upload", "large", raw.toString());
      ImageCopies copies = new ImageCopies(cluster, "large");
      // One without the delivered file waits for a copy.
      int receiver = copies.files(3, "backing").isEmpty() ? 3 : 2;
      cluster
          .api()
          .create(
              "volumes",
              "Volume",
              "vol",
              spec ->
                  spec.put("size", "128Mi")
                      .put("numberOfReplicas", 3)
                      .put("backingImage", "large"));
      Await.until(
          "a part of the copy is durable", Duration.ofMinutes(1), () -> copies.isPartial(receiver));
      cluster.kill(receiver);
      assertThat(copies.isComplete(receiver)).as("complete before the kill").isFalse();
      cluster.up(receiver).succeeded();

      Await.until(
          "every node has a copy",
          Duration.ofMinutes(3),
          () -> copies.nodes().stream().allMatch(copies::isComplete));
      assertThat(copies.different(raw)).isEmpty();
      assertThat(cluster.log(receiver)).contains("continuing a copy with");
      cluster.ok("volume", "attach", "vol", "--node", "node-1");
      new Tickets(cluster.api(), "api").awaitRedundancy("vol", 3, Duration.ofMinutes(1));
      hasTheImage(URI.create(cluster.ok("volume", "endpoint", "vol", "--remote")));

      Path loaded = directory.resolve("loaded.qcow2");
      cluster.ok("image", "download", "large", loaded.toString(), "--format", "qcow2");
      qemuImg("check", "-q", loaded.toString());
      qemuImg("compare", "-q", "-f", "raw", "-F", "qcow2", raw.toString(), loaded.toString());
    }
  }
}
