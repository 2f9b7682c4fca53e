package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clones of volumes, as users create them, on the disks of a node. */
class CloneE2E {
  private static final int BLOCKS = 4096;
  private static final long CONTENT = (long) BLOCKS * NumberedBlocks.BYTES;
  private static final int REPLICAS = 3;
  private static final Duration LIMIT = Duration.ofSeconds(90);

  @TempDir static Path directory;
  private static RunningNode node;

  @BeforeAll
  static void start() {
    node = RunningNode.start(directory.resolve("data"));
  }

  @AfterAll
  static void stop() {
    node.close();
  }

  /** Returns the used bytes of all disks; a file with several names counts once. */
  private static long used() {
    String disks = node.data().resolve("disks").toString();
    String line = Command.of("du", "-s", "--block-size=1", disks).run().succeeded().out();
    return Long.parseLong(line.substring(0, line.indexOf('\t')));
  }

  private static JsonNode cloned(String volume) {
    return Cluster.tree(node.ok("volume", "get", volume, "-o", "json")).at("/status/cloneStatus");
  }

  private static URI written(String volume) throws IOException {
    URI uri = node.volume(volume, "64Mi", REPLICAS);
    new NumberedBlocks(volume).write(uri, 1, BLOCKS);
    return uri;
  }

  /** Makes a copy and waits until it is whole. */
  private static void copied(String name, String source, String... options) {
    List<String> words = new ArrayList<>(List.of("volume", "create", name, "--from", source));
    words.addAll(List.of(options));
    words.addAll(List.of("--wait", "--timeout", "120"));
    node.ok(words.toArray(String[]::new));
  }

  private static void restartUncleanly(URI served) {
    node.kill();
    node.up().succeeded();
    Await.until("it is served again", LIMIT, () -> isServed(served));
  }

  private static boolean isServed(URI uri) {
    try (NbdConnection connection = new NbdConnection(uri)) {
      return connection.size() > 0;
    } catch (IOException e) {
      return false;
    }
  }

  @Test
  void linkedCopyTakesNoSpaceAndNeitherNeedsTheOther() throws IOException {
    URI original = written("original");
    NumberedBlocks blocks = new NumberedBlocks("original");
    long before = used();

    copied("copy", "original", "--size", "96Mi");

    assertThat(cloned("copy").path("state").asText()).isEqualTo("completed");
    assertThat(cloned("copy").path("method").asText()).isEqualTo("link");
    assertThat(used() - before).isLessThan(CONTENT / 2);
    URI copy = node.attach("copy");
    try (NbdConnection connection = new NbdConnection(copy)) {
      assertThat(connection.size()).isEqualTo(96L << 20);
      assertThat(connection.read(95L << 20, 4096)).containsOnly(0);
    }
    blocks.verify(copy, 1, BLOCKS);

    blocks.write(original, 2, BLOCKS / 2);
    blocks.verify(copy, 1, BLOCKS);
    blocks.write(copy, 3, BLOCKS / 4);
    blocks.verify(original, 2, BLOCKS / 2);

    node.ok("volume", "detach", "original");
    node.ok("volume", "delete", "original", "--grace", "0s");
    verifyRest(copy, blocks);
    restartUncleanly(copy);
    blocks.verify(copy, 3, BLOCKS / 4);
    verifyRest(copy, blocks);
    node.ok("volume", "detach", "copy");
    node.ok("volume", "delete", "copy", "--grace", "0s");
    assertThat(used()).isLessThan(before - REPLICAS * CONTENT / 2);
  }

  /** Verifies the blocks that only the snapshot held. */
  private static void verifyRest(URI copy, NumberedBlocks blocks) throws IOException {
    try (NbdConnection connection = new NbdConnection(copy)) {
      for (int block = BLOCKS / 4; block < BLOCKS; block++) {
        assertThat(connection.read((long) block * NumberedBlocks.BYTES, NumberedBlocks.BYTES))
            .as("block %d", block)
            .isEqualTo(blocks.content(block, 1));
      }
    }
  }

  @Test
  void fullCopyHasSeparateBlocks() throws IOException {
    written("whole");
    long before = used();

    copied("own", "whole", "--clone-mode", "full-copy");

    assertThat(cloned("own").path("method").asText()).isEqualTo("copy");
    assertThat(used() - before).isGreaterThan(REPLICAS * CONTENT - CONTENT / 2);
    new NumberedBlocks("whole").verify(node.attach("own"), 1, BLOCKS);
  }
}
