package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.kube.testkit.CsiSanity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The judge of CSI drivers against the real container, with real devices and mounts. Its specs skip
 * themselves when the driver declares less, so what has to pass is compared by name.
 */
@Tag("repeatable")
class CsiSanityE2E {
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
      // The first spec can ask for the node, and each spec asks once.
      Await.until(
          "the node is registered",
          Duration.ofSeconds(60),
          () -> node.ok("node", "list").contains("node-1"));
      Command.Result result = judge(accessType, socket, report);

      Map<String, List<String>> specs = CsiSanity.byState(Files.readString(report));
      assertThat(specs.getOrDefault(CsiSanity.FAILED, List.of())).as(result.out()).isEmpty();
      assertThat(specs.keySet())
          .as(result.out())
          .containsExactlyInAnyOrder(CsiSanity.PASSED, CsiSanity.PENDING);
      assertThat(CsiSanity.specs()).hasSize(102).isSorted();
      assertThat(specs.get(CsiSanity.PASSED)).containsExactlyElementsOf(CsiSanity.specs());
      assertThat(specs.get(CsiSanity.PENDING)).hasSize(1);
      result.succeeded();
      assertThat(node.ok("volume", "list", "-o", "json")).doesNotContain("sanity");
    }
  }

  private Command.Result judge(String accessType, Path socket, Path report) throws IOException {
    Path parameters = directory.resolve("parameters.yaml");
    Path mutable = directory.resolve("mutable.yaml");
    Files.writeString(parameters, "numberOfReplicas: \"1\"\n");
    Files.writeString(mutable, "writeIops: \"100000\"\nbandwidth: 1Gi\n");
    return Command.of(
            CsiSanity.program().toString(),
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
}
