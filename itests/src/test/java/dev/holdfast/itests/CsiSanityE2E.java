package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The judge of CSI drivers against the real container, with real devices and mounts. Its specs skip
 * themselves when the driver declares less, so what has to pass is compared by name.
 */
class CsiSanityE2E {
  private static final Path TREE = Path.of(System.getProperty("holdfast.tree")).normalize();
  private static final int MIB = 1 << 20;

  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"mount", "block"})
  void everySpecOfCsiSanityPasses(String accessType) throws IOException {
    assumeTrue("root".equals(System.getProperty("user.name")), "mounting needs root");
    Path socket = directory.resolve("csi.sock");
    Path report = directory.resolve("report.json");
    try (RunningNode node = RunningNode.of(directory.resolve("data")).withJava("")) {
      node.up("--csi", socket.toString(), "--csi-max-volumes", "2").succeeded();
      Command.Result result = judge(accessType, socket, report);

      Map<String, List<String>> specs = byState(report);
      assertThat(specs.getOrDefault("failed", List.of())).as(result.out()).isEmpty();
      assertThat(specs.keySet()).as(result.out()).containsExactlyInAnyOrder("passed", "pending");
      assertThat(specs.get("passed")).containsExactlyElementsOf(expected());
      assertThat(specs.get("pending")).hasSize(1);
      result.succeeded();
      assertThat(node.ok("volume", "list", "-o", "json")).doesNotContain("sanity");
    }
  }

  private Command.Result judge(String accessType, Path socket, Path report) throws IOException {
    String program =
        Command.of(TREE.resolve("itests/lib/csi-sanity").toString())
            .within(Duration.ofMinutes(10))
            .run()
            .succeeded()
            .out();
    Path parameters = directory.resolve("parameters.yaml");
    Path mutable = directory.resolve("mutable.yaml");
    Files.writeString(parameters, "numberOfReplicas: \"1\"\n");
    Files.writeString(mutable, "writeIops: \"100000\"\nbandwidth: 1Gi\n");
    return Command.of(
            program,
            "--csi.endpoint=unix://" + socket,
            "--csi.mountdir=" + directory.resolve("mount"),
            "--csi.stagingdir=" + directory.resolve("staging"),
            "--csi.testvolumeaccesstype=" + accessType,
            "--csi.testvolumesize=" + 16 * MIB,
            "--csi.testvolumeexpandsize=" + 24 * MIB,
            "--csi.testvolumeparameters=" + parameters,
            "--csi.testvolumemutableparameters=" + mutable,
            "--csi.testnodevolumeattachlimit",
            "--ginkgo.no-color",
            "--ginkgo.json-report=" + report)
        .within(Duration.ofMinutes(10))
        .run();
  }

  /** Names of specs by what became of them, sorted. */
  private static Map<String, List<String>> byState(Path report) throws IOException {
    Map<String, List<String>> states = new TreeMap<>();
    for (JsonNode spec : new ObjectMapper().readTree(report.toFile()).path(0).path("SpecReports")) {
      if (spec.path("LeafNodeType").asText().equals("It")) {
        List<String> name = new ArrayList<>();
        spec.path("ContainerHierarchyTexts").forEach(text -> name.add(text.asText()));
        name.add(spec.path("LeafNodeText").asText());
        states
            .computeIfAbsent(spec.path("State").asText(), state -> new ArrayList<>())
            .add(String.join(" / ", name));
      }
    }
    states.values().forEach(names -> names.sort(null));
    return states;
  }

  /** Returns the specs of csi-sanity 5.6.0, except the one that it skips itself. */
  private static List<String> expected() throws IOException {
    List<String> names =
        Files.readAllLines(TREE.resolve("itests/src/test/resources/csi-sanity-5.6.0.txt"));
    assertThat(names).hasSize(102).isSorted();
    return names;
  }
}
