package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.resource.Quantity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A replica that the real engine of Longhorn v1 wrote becomes a volume on SPDK: content, allocated
 * clusters, times and labels of each snapshot are those of the replica.
 *
 * @param node that imports it
 * @param folder for files
 */
record SpdkImport(RunningNode node, Path folder) {
  private static final Path FIXTURE =
      Path.of(System.getProperty("holdfast.tree"), "engines/sparse/src/test/resources/longhorn-v1");
  private static final long CLUSTER = 1 << 20;
  private static final ObjectMapper JSON = new ObjectMapper();

  void assertImported() throws IOException {
    Path replica = Files.createDirectory(folder.resolve("replica"));
    Command.of(
            "tar",
            "-S",
            "--zstd",
            "-C",
            replica.toString(),
            "-xf",
            FIXTURE.resolve("replica.tar.zst").toString())
        .run()
        .succeeded();
    node.ok(
        "volume",
        "import",
        "foreign",
        "--longhorn",
        replica.toString(),
        "--engine",
        "spdk",
        "--replicas",
        "1");
    node.ok("volume", "attach", "foreign");
    for (String snapshot : List.of("snap1", "snap2")) {
      assertContent(snapshot, "--snapshot", snapshot);
      Path layer = replica.resolve("volume-snap-" + snapshot + ".img");
      JsonNode shown = node.api().get("snapshots", "foreign." + snapshot);
      JsonNode meta = JSON.readTree(layer.resolveSibling(layer.getFileName() + ".meta").toFile());
      assertThat(Quantity.parse(shown.at("/status/size").asText()).bytes())
          .as("allocated bytes of %s", snapshot)
          .isEqualTo(clusters(layer) * CLUSTER);
      assertThat(shown.at("/status/creationTime").asText())
          .isEqualTo(meta.path("Created").asText());
    }
    assertThat(node.api().get("snapshots", "foreign.snap1").at("/spec/labels/purpose").asText())
        .isEqualTo("fixture");
    assertThat(node.api().get("snapshots", "foreign.snap2").at("/status/parent").asText())
        .isEqualTo("snap1");
    assertContent("head");
    node.ok("volume", "detach", "foreign");
    node.ok("volume", "delete", "foreign", "--grace", "0s");
  }

  private void assertContent(String content, String... options) throws IOException {
    Path file = folder.resolve("foreign-" + content);
    List<String> words = new ArrayList<>(List.of("volume", "export", "foreign", file.toString()));
    words.addAll(List.of(options));
    node.ok(words.toArray(String[]::new));
    String sum = Command.of("sha256sum", file.toString()).run().succeeded().out();
    assertThat(Files.readString(FIXTURE.resolve("content.sha256")))
        .contains(sum.substring(0, sum.indexOf(' ')) + "  " + content);
    Files.delete(file);
  }

  /** Returns how many clusters hold data of a file. */
  private static long clusters(Path file) throws IOException {
    String map =
        Command.of("qemu-img", "map", "-f", "raw", "--output=json", file.toString())
            .run()
            .succeeded()
            .out();
    Set<Long> clusters = new HashSet<>();
    for (JsonNode extent : JSON.readTree(map)) {
      long start = extent.path("start").asLong();
      long end = start + extent.path("length").asLong();
      for (long cluster = start / CLUSTER;
          extent.path("data").asBoolean() && cluster * CLUSTER < end;
          cluster++) {
        clusters.add(cluster);
      }
    }
    return clusters.size();
  }
}
