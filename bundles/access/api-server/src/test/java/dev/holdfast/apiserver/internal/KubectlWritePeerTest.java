package dev.holdfast.apiserver.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeState;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Changes by kubectl. */
@Tag("slow")
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class KubectlWritePeerTest {
  @TempDir Path directory;
  private TestServer server;

  static List<Kubectl> kubectls() throws Exception {
    return Kubectl.all();
  }

  @BeforeEach
  void start() throws Exception {
    server = new TestServer(directory);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static String volume(String name, String size, int replicas) {
    return """
        apiVersion: holdfast.dev/v1
        kind: Volume
        metadata:
          name: %s
        spec:
          size: %s
          numberOfReplicas: %d
        """
        .formatted(name, size, replicas);
  }

  private Volume stored(String name) throws Exception {
    return server.store().get(Volume.KIND, name).orElseThrow();
  }

  private void apply(Kubectl kubectl, String document, String outcome) throws Exception {
    assertThat(kubectl.runWith(document, server, "apply", "-f", "-").succeeds().out())
        .contains(outcome);
  }

  @ParameterizedTest
  @MethodSource("kubectls")
  void applyCreatesAndUpdatesAndKeepsEqualResources(Kubectl kubectl) throws Exception {
    apply(kubectl, volume("demo", "1Gi", 2), "volume.holdfast.dev/demo created");
    apply(kubectl, volume("demo", "1Gi", 2), "unchanged");
    apply(kubectl, volume("demo", "2Gi", 2), "configured");
    assertThat(stored("demo").spec().size()).isEqualTo(Quantity.parse("2Gi"));
    assertThat(stored("demo").metadata().generation()).isEqualTo(2);
    apply(kubectl, volume("demo", "2048Mi", 2), "demo");
    assertThat(stored("demo").metadata().generation()).isEqualTo(2);
  }

  @ParameterizedTest
  @MethodSource("kubectls")
  void scaleSetsTheNumberOfReplicas(Kubectl kubectl) throws Exception {
    apply(kubectl, volume("demo", "1Gi", 2), "created");

    assertThat(kubectl.run(server, "scale", "volume/demo", "--replicas=3").succeeds().out())
        .contains("volume.holdfast.dev/demo scaled");
    assertThat(stored("demo").spec().numberOfReplicas()).isEqualTo(3);
    kubectl.run(server, "scale", "volume/demo", "--replicas=1", "--current-replicas=3").succeeds();
    assertThat(stored("demo").spec().numberOfReplicas()).isEqualTo(1);
    assertThat(kubectl.run(server, "scale", "volume/demo", "--replicas=21").fails().err())
        .contains("spec.numberOfReplicas");
    kubectl.run(server, "scale", "volume/none", "--replicas=2").fails();
  }

  @ParameterizedTest
  @MethodSource("kubectls")
  void errorsNameTheField(Kubectl kubectl) throws Exception {
    assertThat(kubectl.runWith(volume("bad", "17", 2), server, "apply", "-f", "-").fails().err())
        .contains("\"bad\" is invalid", "spec.size", "multiple of 4Ki");
    assertThat(kubectl.runWith(volume("bad", "big", 2), server, "apply", "-f", "-").fails().err())
        .contains("spec.size");
    String unknown = volume("bad", "1Gi", 2) + "  sise: 1Gi\n";
    assertThat(kubectl.runWith(unknown, server, "apply", "-f", "-").fails().err())
        .contains("unknown field", "sise");
    apply(kubectl, volume("demo", "2Gi", 2), "created");
    assertThat(kubectl.runWith(volume("demo", "1Gi", 2), server, "apply", "-f", "-").fails().err())
        .contains("spec.size", "must not be smaller");
    String mode = "{\"spec\":{\"accessMode\":\"all\"}}";
    assertThat(
            kubectl
                .run(server, "patch", "volume", "demo", "--type=merge", "-p", mode)
                .fails()
                .err())
        .contains("spec.accessMode", "Unsupported value: \"all\"", "rwo");
    assertThat(stored("demo").spec().size()).isEqualTo(Quantity.parse("2Gi"));
  }

  @ParameterizedTest
  @MethodSource("kubectls")
  void createRefusesASecondAndMakesNames(Kubectl kubectl) throws Exception {
    String document = volume("demo", "1Gi", 1);
    kubectl.runWith(document, server, "create", "-f", "-").succeeds();
    assertThat(kubectl.runWith(document, server, "create", "-f", "-").fails().err())
        .contains("AlreadyExists");
    String nameless = document.replace("name: demo", "generateName: data-");
    assertThat(kubectl.runWith(nameless, server, "create", "-f", "-").succeeds().out())
        .containsPattern("data-[a-z0-9]{5} created");
  }

  @ParameterizedTest
  @MethodSource("kubectls")
  void patchesChangeTheirFields(Kubectl kubectl) throws Exception {
    apply(kubectl, volume("demo", "1Gi", 2), "created");
    String merge = "{\"spec\":{\"numberOfReplicas\":1,\"diskSelector\":[\"ssd\"]}}";
    kubectl.run(server, "patch", "volume", "demo", "--type=merge", "-p", merge).succeeds();
    assertThat(stored("demo").spec().numberOfReplicas()).isEqualTo(1);
    String json = "[{\"op\":\"add\",\"path\":\"/spec/diskSelector/-\",\"value\":\"fast\"}]";
    kubectl.run(server, "patch", "volume", "demo", "--type=json", "-p", json).succeeds();
    assertThat(stored("demo").spec().diskSelector()).containsExactly("ssd", "fast");
    String test = "[{\"op\":\"test\",\"path\":\"/spec/numberOfReplicas\",\"value\":7}]";
    assertThat(
            kubectl.run(server, "patch", "volume", "demo", "--type=json", "-p", test).fails().err())
        .contains("the test of \"/spec/numberOfReplicas\" failed");
    assertThat(kubectl.run(server, "patch", "volume", "demo", "-p", merge).fails().err())
        .contains("strategic-merge-patch");
  }

  @ParameterizedTest
  @MethodSource("kubectls")
  void labelAnnotateReplaceAndEdit(Kubectl kubectl) throws Exception {
    apply(kubectl, volume("demo", "1Gi", 2), "created");
    kubectl.run(server, "label", "volume", "demo", "tier=gold").succeeds();
    kubectl.run(server, "annotate", "volume", "demo", "note=of mine").succeeds();
    assertThat(stored("demo").metadata().labels()).containsEntry("tier", "gold");
    assertThat(stored("demo").metadata().annotations()).containsEntry("note", "of mine");
    kubectl.runWith(volume("demo", "2Gi", 3), server, "replace", "-f", "-").succeeds();
    assertThat(stored("demo").metadata().labels()).isEmpty();
    assertThat(kubectl.run(server, "edit", "volume", "demo").succeeds().out()).contains("edited");
    assertThat(stored("demo").spec().size()).isEqualTo(Quantity.parse("4Gi"));
    kubectl.run(server, "label", "volume", "demo", "bad=-x-").fails();
  }

  @ParameterizedTest
  @MethodSource("kubectls")
  void dryRunsKeepNothing(Kubectl kubectl) throws Exception {
    String document = volume("demo", "1Gi", 2);
    kubectl.runWith(document, server, "apply", "--dry-run=server", "-f", "-").succeeds();
    assertThat(server.store().get(Volume.KIND, "demo")).isEmpty();
    apply(kubectl, document, "created");
    String before = stored("demo").metadata().resourceVersion();
    kubectl.run(server, "label", "volume", "demo", "a=b", "--dry-run=server").succeeds();
    kubectl.run(server, "delete", "volume", "demo", "--dry-run=server").succeeds();
    assertThat(stored("demo").metadata().resourceVersion()).isEqualTo(before);
    assertThat(
            kubectl
                .runWith(volume("x", "17", 2), server, "apply", "--dry-run=server", "-f", "-")
                .fails()
                .err())
        .contains("spec.size");
  }

  @ParameterizedTest
  @MethodSource("kubectls")
  void deleteWaitsForFinalizers(Kubectl kubectl) throws Exception {
    apply(kubectl, volume("demo", "1Gi", 2), "created");
    Volume demo = stored("demo");
    server.store().update(demo.withMetadata(demo.metadata().plusFinalizer("holdfast.dev/volume")));
    assertThat(kubectl.run(server, "delete", "volume", "demo", "--wait=false").succeeds().out())
        .contains("deleted");
    assertThat(stored("demo").isBeingDeleted()).isTrue();
    Process waiting = kubectl.start(server, "wait", "--for=delete", "volume/demo");
    Volume deleting = stored("demo");
    server
        .store()
        .update(deleting.withMetadata(deleting.metadata().minusFinalizer("holdfast.dev/volume")));
    assertThat(waiting.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(server.store().get(Volume.KIND, "demo")).isEmpty();
    apply(kubectl, volume("a", "1Gi", 2), "created");
    apply(kubectl, volume("b", "1Gi", 2), "created");
    kubectl.run(server, "delete", "volumes", "--all").succeeds();
    assertThat(server.store().get(Volume.KIND, "a")).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("kubectls")
  void waitsForConditions(Kubectl kubectl) throws Exception {
    apply(kubectl, volume("demo", "1Gi", 2), "created");
    apply(kubectl, volume("other", "1Gi", 2), "created");
    Process waiting = kubectl.start(server, "wait", "--for=condition=Scheduled", "volume/demo");
    Volume demo = stored("demo");
    server
        .store()
        .updateStatus(
            demo.withStatus(
                demo.status()
                    .withState(VolumeState.DETACHED)
                    .withObservedGeneration(demo.metadata().generation())
                    .withConditions(
                        Condition.with(
                            List.of(),
                            "Scheduled",
                            Condition.Status.TRUE,
                            "Placed",
                            "",
                            Instant.now()))));
    assertThat(waiting.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(waiting.exitValue()).isZero();
  }

  @ParameterizedTest
  @MethodSource("kubectls")
  void aForeignTokenIsRefused(Kubectl kubectl) throws Exception {
    String config = Files.readString(server.kubeconfig());
    Files.writeString(
        server.kubeconfig(), config.replaceAll("\"token\" : \"[^\"]+\"", "\"token\" : \"x\""));
    assertThat(kubectl.run(server, "get", "volumes").fails().err()).contains("logged in");
  }
}
