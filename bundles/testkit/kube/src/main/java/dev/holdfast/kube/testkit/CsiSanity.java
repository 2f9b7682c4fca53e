package dev.holdfast.kube.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The test program csi-sanity for CSI drivers, at its pinned version. Its specs skip themselves if
 * a driver declares fewer capabilities, so tests compare the passed specs by name. Stateless.
 */
public final class CsiSanity {
  /** State of a spec that passed. */
  public static final String PASSED = "passed";

  /** State of a spec that failed. */
  public static final String FAILED = "failed";

  /** State of the only spec that csi-sanity 5.6.0 itself disables. */
  public static final String PENDING = "pending";

  private static final String SPECS = "itests/src/test/resources/csi-sanity-5.6.0.txt";

  private CsiSanity() {}

  /**
   * Returns the path of the program; builds a missing one at its pinned version.
   *
   * @throws IOException when the program is unavailable
   */
  public static Path program() throws IOException {
    return Path.of(TestProgram.path("csi-sanity", List.of()));
  }

  /**
   * Returns where the program is that asks for MULTI_NODE_MULTI_WRITER instead of
   * SINGLE_NODE_WRITER, built of the same sources if it is not yet.
   *
   * @throws IOException when it cannot be had
   */
  public static Path programForManyNodes() throws IOException {
    return Path.of(TestProgram.path("csi-sanity", List.of("--many-nodes")));
  }

  /**
   * Returns the names of its specs except the pending one, sorted; an immutable list, never null.
   *
   * @throws IOException when the test runs outside the source tree
   */
  public static List<String> specs() throws IOException {
    return List.copyOf(Files.readAllLines(TestProgram.root().resolve(SPECS)));
  }

  /**
   * Returns the names of the specs of a run by their states, sorted.
   *
   * @param report output of {@code --ginkgo.json-report}, not null
   * @throws IOException when it is not JSON
   */
  public static Map<String, List<String>> byState(String report) throws IOException {
    Map<String, List<String>> states = new TreeMap<>();
    for (JsonNode spec : new ObjectMapper().readTree(report).path(0).path("SpecReports")) {
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
}
