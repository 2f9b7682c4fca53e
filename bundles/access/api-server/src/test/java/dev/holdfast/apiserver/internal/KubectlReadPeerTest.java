package dev.holdfast.apiserver.internal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.ObjectReference;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.cluster.Event;
import dev.holdfast.resource.cluster.EventSpec;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.resource.volume.VolumeState;
import java.io.BufferedReader;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Output of kubectl. */
@Tag("slow")
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class KubectlReadPeerTest {
  @TempDir Path directory;
  private TestServer server;
  private Volume demo;

  static List<Kubectl> kubectls() throws Exception {
    return Kubectl.all();
  }

  @BeforeEach
  void start() throws Exception {
    server = new TestServer(directory);
    demo =
        server
            .store()
            .create(
                Volume.of(
                    "demo",
                    VolumeSpec.EMPTY.withSize(Quantity.parse("1Gi")).withNumberOfReplicas(2)));
    demo =
        server
            .store()
            .updateStatus(
                demo.withStatus(
                    demo.status()
                        .withState(VolumeState.ATTACHED)
                        .withCurrentNodeID("node-1")
                        .withEndpoint("nbd://127.0.0.1:10809/demo")));
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @ParameterizedTest
  @MethodSource("kubectls")
  void getPrintsTheColumnsOfTheKind(Kubectl kubectl) throws Exception {
    List<String> lines = kubectl.run(server, "get", "volumes").succeeds().out().lines().toList();
    assertThat(lines.get(0).split(" +", -1))
        .containsExactly("NAME", "SIZE", "STATE", "ROBUSTNESS", "NODE", "AGE");
    assertThat(lines.get(1)).matches("demo +1Gi +attached +unknown +node-1 +\\d+s");
    assertThat(kubectl.run(server, "get", "hfv", "-o", "wide").succeeds().out())
        .contains("REPLICAS", "ENGINE", "ENDPOINT", "nbd://127.0.0.1:10809/demo");
    assertThat(kubectl.run(server, "get", "volume/demo", "-o", "name").succeeds().out())
        .isEqualTo("volume.holdfast.dev/demo\n");
  }

  @ParameterizedTest
  @MethodSource("kubectls")
  void getPrintsConditionsInColumns(Kubectl kubectl) throws Exception {
    Node node = server.store().create(Node.of("node-1", NodeSpec.EMPTY));
    List<Condition> ready =
        Condition.with(List.of(), "Ready", Condition.Status.TRUE, "Heartbeat", "", Instant.now());
    server.store().updateStatus(node.withStatus(node.status().withConditions(ready)));
    assertThat(kubectl.run(server, "get", "nodes").succeeds().out())
        .containsPattern("NAME +READY +SCHEDULABLE +ADDRESS +AGE")
        .containsPattern("node-1 +True +true");
  }

  @ParameterizedTest
  @MethodSource("kubectls")
  void getGivesWholeResources(Kubectl kubectl) throws Exception {
    JsonNode one =
        new ObjectMapper()
            .readTree(kubectl.run(server, "get", "volume", "demo", "-o", "json").out());
    assertThat(one.path("spec").path("size").asText()).isEqualTo("1Gi");
    assertThat(one.path("status").path("state").asText()).isEqualTo("attached");
    assertThat(kubectl.run(server, "get", "volumes", "-o", "yaml").succeeds().out())
        .contains("apiVersion: holdfast.dev/v1", "numberOfReplicas: 2");
  }

  @ParameterizedTest
  @MethodSource("kubectls")
  void selectorsSelect(Kubectl kubectl) throws Exception {
    server.store().create(Volume.of("other", demo.spec()));
    kubectl.run(server, "label", "volume", "demo", "tier=gold").succeeds();
    assertThat(kubectl.run(server, "get", "volumes", "-l", "tier in (gold)", "-o", "name").out())
        .isEqualTo("volume.holdfast.dev/demo\n");
    String byField = "--field-selector=metadata.name=other";
    assertThat(kubectl.run(server, "get", "volumes", byField, "-o", "name").out())
        .isEqualTo("volume.holdfast.dev/other\n");
    assertThat(kubectl.run(server, "get", "volumes", "--field-selector=spec.nope=1").fails().err())
        .contains("spec.nope");
  }

  @ParameterizedTest
  @MethodSource("kubectls")
  void listsOfManyPagesAreWhole(Kubectl kubectl) throws Exception {
    for (int i = 0; i < 25; i++) {
      server.store().create(Volume.of("page-" + i, demo.spec()));
    }
    String out =
        kubectl.run(server, "get", "volumes", "--chunk-size=7", "-o", "name").succeeds().out();
    assertThat(out.lines().distinct()).hasSize(26);
  }

  @ParameterizedTest
  @MethodSource("kubectls")
  void describeShowsEvents(Kubectl kubectl) throws Exception {
    Optional<Instant> now = Optional.of(Instant.now());
    ObjectReference regarding = new ObjectReference("Volume", "demo", demo.metadata().uid());
    server
        .store()
        .create(
            Event.of(
                "demo.1",
                new EventSpec(
                    regarding, "Warning", "Degraded", "a replica failed", "volume", 2, now, now)));
    assertThat(kubectl.run(server, "describe", "volume", "demo").succeeds().out())
        .contains("Data Engine:", "Events:")
        .containsPattern("Warning +Degraded .*volume +a replica failed");
    assertThat(kubectl.run(server, "get", "events").succeeds().out())
        .containsPattern("Warning +Degraded +demo");
  }

  @ParameterizedTest
  @MethodSource("kubectls")
  void watchPrintsChangesAsTheyCome(Kubectl kubectl) throws Exception {
    Process process = kubectl.start(server, "get", "volumes", "-w");
    try (BufferedReader out = process.inputReader(UTF_8)) {
      assertThat(out.readLine()).startsWith("NAME");
      assertThat(out.readLine()).startsWith("demo").contains("attached");
      demo =
          server
              .store()
              .updateStatus(demo.withStatus(demo.status().withState(VolumeState.DETACHED)));
      assertThat(out.readLine()).startsWith("demo").contains("detached");
      server.store().create(Volume.of("next", demo.spec()));
      assertThat(out.readLine()).startsWith("next");
    } finally {
      process.destroy();
    }
  }

  @ParameterizedTest
  @MethodSource("kubectls")
  void explainPrintsTypesAndDescriptions(Kubectl kubectl) throws Exception {
    assertThat(kubectl.run(server, "explain", "volume.spec.size").succeeds().out())
        .containsPattern("size\\s+<string>")
        .contains("multiple of 4 KiB");
    assertThat(kubectl.run(server, "explain", "volumes.spec").succeeds().out())
        .containsPattern("numberOfReplicas\\s+<integer>")
        .contains("rwx");
    assertThat(kubectl.run(server, "explain", "nodes", "--recursive").succeeds().out())
        .contains("storageReserved");
    assertThat(kubectl.run(server, "explain", "volume.spec.nope").fails().err()).contains("nope");
  }

  @ParameterizedTest
  @MethodSource("kubectls")
  void apiResourcesNamesAllKinds(Kubectl kubectl) throws Exception {
    String out = kubectl.run(server, "api-resources", "--api-group=holdfast.dev").succeeds().out();
    assertThat(out)
        .containsPattern("volumes +hfv +holdfast.dev/v1 +false +Volume")
        .contains("volumeattachments", "settings", "snapshots", "replicas", "engines", "nodes");
  }
}
