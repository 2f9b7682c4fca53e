package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Attachers whose bundles are stopped, updated and replaced while volumes are attached by them. */
class AttacherReplacementE2E {
  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final String BUNDLE = "dev.holdfast.attacher.api";

  @TempDir static Path data;
  private static RunningNode node;

  @BeforeAll
  static void start() {
    node = RunningNode.start(data.resolve("node"));
  }

  @AfterAll
  static void stop() {
    node.close();
  }

  private static JsonNode why(String volume) throws IOException {
    return new ObjectMapper().readTree(node.ok("volume", "why", volume, "-o", "json"));
  }

  private static String id(String bundle) {
    return node.shell("bundle:list -t 0 -s --no-format")
        .lines()
        .filter(line -> line.strip().endsWith(bundle))
        .map(line -> line.strip().split("\\s", 2)[0])
        .findFirst()
        .orElseThrow();
  }

  private static String location(String id) {
    String headers = node.shell("bundle:list -t 0 -u --no-format");
    return headers
        .lines()
        .filter(line -> line.strip().startsWith(id + "\t") || line.strip().startsWith(id + " "))
        .flatMap(line -> Arrays.stream(line.split("\\s+")))
        .filter(word -> word.startsWith("mvn:"))
        .findFirst()
        .orElseThrow();
  }

  private static void writes(NbdConnection connection, int block) throws IOException {
    byte[] content = new byte[4096];
    Arrays.fill(content, (byte) (block + 1));
    assertThat(connection.write(4096L * block, content)).isZero();
    assertThat(connection.read(4096L * block, 4096)).isEqualTo(content);
  }

  private static void awaitAttacher(String volume, boolean there) {
    String reason = there ? "Attached" : "AttacherUnavailable";
    Await.until(
        "attacher " + (there ? "back" : "gone"),
        LIMIT,
        () ->
            why(volume)
                .at(there ? "/holders/0/reason" : "/waiting/0/reason")
                .asText()
                .equals(reason));
  }

  @Test
  void nothingDetachesAndNothingAttachesTwice() throws Exception {
    node.ok("volume", "create", "waits", "--size", "16Mi", "--replicas", "1", "--wait");
    try (NbdConnection connection = new NbdConnection(node.volume("held", "16Mi", 1))) {
      writes(connection, 0);
      String bundle = id(BUNDLE);
      String location = location(bundle);

      node.shell("bundle:stop " + bundle);
      node.ok("volume", "attach", "waits", "--no-wait");
      awaitAttacher("waits", false);
      assertThat(why("held").at("/holders/0/satisfied").asBoolean()).isTrue();
      writes(connection, 1);

      node.shell("bundle:start " + bundle);
      awaitAttacher("waits", true);
      writes(connection, 2);

      node.shell("bundle:update " + bundle);
      node.ok("volume", "detach", "waits");
      node.ok("volume", "attach", "waits");
      writes(connection, 3);

      node.shell("bundle:uninstall " + bundle);
      node.ok("volume", "detach", "waits");
      node.ok("volume", "attach", "waits", "--no-wait");
      awaitAttacher("waits", false);
      writes(connection, 4);

      node.shell("bundle:install -s " + location);
      awaitAttacher("waits", true);
      assertThat(why("held").at("/holders/0/reason").asText()).isEqualTo("Attached");
      writes(connection, 5);
    }
    node.ok("volume", "detach", "held");
    assertThat(why("held").at("/state").asText()).isEqualTo("detached");
  }
}
