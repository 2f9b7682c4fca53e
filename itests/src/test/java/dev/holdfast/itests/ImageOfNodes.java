package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;

/** A backing image of random content, which nodes of a cluster download and copy. */
final class ImageOfNodes {
  private static final int MEBIBYTES = 128;
  private static final int PIECE = 1 << 20;
  private static final Duration LIMIT = Duration.ofMinutes(5);

  private final Cluster cluster;
  private final String name;
  private final Path content;
  private final ImageCopies copies;

  ImageOfNodes(Cluster cluster, String name, Path directory) throws IOException {
    this.cluster = cluster;
    this.name = name;
    this.content = directory.resolve(name + ".raw");
    this.copies = new ImageCopies(cluster, name);
    Random random = new Random(24);
    byte[] piece = new byte[PIECE];
    try (OutputStream out = Files.newOutputStream(content)) {
      for (int i = 0; i < MEBIBYTES; i++) {
        random.nextBytes(piece);
        out.write(piece);
      }
    }
  }

  ImageCopies copies() {
    return copies;
  }

  /** Offers the content on this machine and creates the image of it, without a wait. */
  HeldDownload startDownload() throws IOException {
    cluster.ok("setting", "set", "image-download-allowed-networks", "127.0.0.0/8");
    HeldDownload download = new HeldDownload(content);
    cluster.ok("image", "create", name, "--url", download.url(), "--no-wait");
    return download;
  }

  /** Uploads the content and waits until so many copies are ready. */
  void upload(int minimum) {
    cluster.ok("image", "upload", name, content.toString());
    keep(minimum);
    awaitReady(minimum);
  }

  /** Sets how many copies remain without a use. */
  void keep(int minimum) {
    cluster.api().patch("backingimages", name, spec -> spec.put("minNumberOfCopies", minimum));
  }

  /** Requests that a copy is removed that no volume needs. */
  void cleanUp(String disk) {
    cluster.api().patch("backingimages", name, spec -> spec.putArray("cleanupDisks").add(disk));
  }

  /** Waits until an image has exactly so many copies, all of them ready. */
  void awaitReady(int wanted) {
    Await.until(
        wanted + " copies are ready",
        LIMIT,
        () -> states().size() == wanted && states().stream().allMatch("ready"::equals));
  }

  private List<String> states() {
    return status().findValuesAsText("state");
  }

  /** Returns the reports of the disks, by their identity. */
  JsonNode status() {
    return cluster.api().get("backingimages", name).at("/status/diskFileStatusMap");
  }

  /** Lets only the disks of some nodes take new data. */
  void deliverOnly(Integer... allowed) {
    copies.nodes().forEach(node -> schedule(node, List.of(allowed).contains(node)));
  }

  /** Lets the disks of all nodes take new data. */
  void scheduleAll() {
    copies.nodes().forEach(node -> schedule(node, true));
  }

  private void schedule(int node, boolean allowed) {
    patchDisks(node, disk -> disk.put("allowScheduling", allowed));
  }

  /** Requests that all data leaves the disks of a node, or ends the request. */
  void evict(int node, boolean requested) {
    patchDisks(node, disk -> disk.put("evictionRequested", requested));
  }

  private void patchDisks(int node, Consumer<ObjectNode> change) {
    String resource = "node-" + node;
    JsonNode disks = cluster.api().get("nodes", resource).at("/spec/disks");
    assertThat(disks).as("disks of %s", resource).isNotEmpty();
    cluster
        .api()
        .patch(
            "nodes",
            resource,
            spec -> {
              ObjectNode changed = spec.putObject("disks");
              disks.fieldNames().forEachRemaining(disk -> change.accept(changed.putObject(disk)));
            });
  }

  void awaitCopy(int node) {
    Await.until("node " + node + " has a copy", LIMIT, () -> copies.isComplete(node));
  }

  /** Waits until a node has some of its copy durably. */
  void awaitPart(int node) {
    Await.until("node " + node + " has a part", LIMIT, () -> copies.isPartial(node));
  }

  /** Waits until a node has no file of a copy. */
  void awaitAbsence(int node) {
    Await.until(
        "node " + node + " has no copy", LIMIT, () -> copies.files(node, "backing").isEmpty());
  }

  /** Waits until each node has a copy, and compares all of them with the content. */
  void awaitCopies() {
    copies.nodes().forEach(this::awaitCopy);
    haveTheContent();
  }

  /** Compares all copies with the content. */
  void haveTheContent() {
    assertThat(copies.different(content)).as("copies with other content").isEmpty();
  }

  /** Returns what identifies the file of the copy on a node while it is not replaced. */
  Object fileKey(int node) throws IOException {
    Path file = copies.files(node, "backing").get(0);
    return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
  }

  /** Creates a volume on the image, which is larger than the image. */
  void createVolume(String volume, int replicas) {
    cluster
        .api()
        .create(
            "volumes",
            "Volume",
            volume,
            spec ->
                spec.put("size", "256Mi")
                    .put("numberOfReplicas", replicas)
                    .put("backingImage", name));
  }

  /** Compares a volume at an endpoint with the content; the rest of it is zeroes. */
  void isContentOf(String endpoint) {
    Command.of("qemu-img", "compare", "-q", "-f", "raw", "-F", "raw", content.toString(), endpoint)
        .run()
        .succeeded();
  }

  /** Compares a volume with the content from an offset to the end of the image. */
  void isContentFrom(long offset, URI volume) throws IOException {
    try (NbdConnection connection = new NbdConnection(volume);
        InputStream expected = Files.newInputStream(content)) {
      expected.skipNBytes(offset);
      for (long at = offset; at < Files.size(content); at += PIECE) {
        assertThat(connection.read(at, PIECE))
            .as("at %d", at)
            .isEqualTo(expected.readNBytes(PIECE));
      }
    }
  }
}
