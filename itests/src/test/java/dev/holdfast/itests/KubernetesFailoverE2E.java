package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The node of a StatefulSet's pod is cut off while the pod writes. The pod returns on another node
 * with all synced data, processes on the first node cannot write, and they leave nothing behind
 * when that node returns.
 */
@Tag("soak")
class KubernetesFailoverE2E extends InSandbox {
  private static final Duration LIMIT = Duration.ofMinutes(10);

  private SandboxInventory before;
  private JsonNode old;
  private SandboxNode node;
  private Path log;

  @AfterEach
  void healNode() {
    if (node != null) {
      node.continueKubelet();
      node.reconnect();
    }
  }

  @Test
  void outOfServiceTaintMovesThePod() throws IOException {
    writes("judged", 600);

    node.cutOff();
    awaitNodeReady("Unknown");
    String taint = "node.kubernetes.io/out-of-service";
    sandbox.kubectl("taint", "node", node.name(), taint + "=nodeshutdown:NoExecute");
    isServedElsewhere("judged");
    cannotWriteThere("judged");

    nothingIsLeftThere("judged");
    sandbox.kubectl("taint", "node", node.name(), taint + "-");
    isTakenAway("judged");
  }

  @Test
  void nodeDownPolicyMovesThePod() throws IOException {
    String policy = Sandbox.TREE.resolve("deploy/examples/node-down.yaml").toString();
    sandbox.kubectl("apply", "-f", policy);
    writes("decided", 5);

    node.cutOff();
    isServedElsewhere("decided");
    cannotWriteThere("decided");

    nothingIsLeftThere("decided");
    isTakenAway("decided");
    sandbox.kubectl("delete", "-f", policy);
  }

  /**
   * Starts a pod that syncs each number before it prints it; it tolerates an unreachable node for
   * some seconds.
   */
  private void writes(String name, int seconds) throws IOException {
    before = SandboxInventory.of(sandbox);
    sandbox.apply(Manifests.statefulWriter(name, seconds));
    sandbox.await("pod", name + "-0", LIMIT, Sandbox::isRunning);
    writer(name + "-0").awaitNumber(20);
    old = sandbox.object("pod", name + "-0");
    node = SandboxNode.of(sandbox, old);
    log = node.keepLog(old);
  }

  /**
   * No number that the former pod printed may be missing, and the former pod must not write later.
   */
  private void isServedElsewhere(String name) throws IOException {
    JsonNode pod = sandbox.await("pod", name + "-0", LIMIT, p -> Sandbox.isRunning(p) && !isOld(p));
    assertThat(pod.at("/spec/nodeName").asText()).isNotEqualTo(node.name());
    writer(name + "-0").awaitMore(20);
    writer(name + "-0").assertWhole();
    assertThat(writer(name + "-0").first()).isGreaterThan(SandboxNode.lastNumber(log));
  }

  private boolean isOld(JsonNode pod) {
    return pod.at("/metadata/uid").equals(old.at("/metadata/uid"));
  }

  /**
   * The node reaches the others again before its kubelet does, so that no kubelet ends the writer
   * on it.
   */
  private void cannotWriteThere(String name) throws IOException {
    Path attempt = node.write(old, sandbox.volumeOf("data-" + name + "-0"));
    node.stopKubelet();
    node.reconnect();

    Await.until("the late write ends", LIMIT, () -> Files.readString(attempt).contains("ended"));
    Await.until(
        "the former pod gets an error", LIMIT, () -> !SandboxNode.complaints(log).isEmpty());
    assertThat(Files.readString(attempt))
        .containsPattern("Input/output error|Read-only file system")
        .doesNotContain("ended 0");
    assertThat(SandboxNode.lastNumber(log)).isLessThan(writer(name + "-0").first());
    node.continueKubelet();
  }

  private void nothingIsLeftThere(String name) {
    String volume = sandbox.volumeOf("data-" + name + "-0");
    awaitNodeReady("True");
    sandbox.await(
        "volumes.holdfast.dev",
        volume,
        LIMIT,
        v -> v.at("/status/robustness").asText().equals("healthy"));
    Await.until(
        "nothing of " + volume + " is left on " + node.name(),
        LIMIT,
        () -> node.leftOf(volume).isEmpty());
    JsonNode pod = sandbox.object("pod", name + "-0");
    assertThat(attachedTo(volume)).containsExactly(pod.at("/spec/nodeName").asText());
    writer(name + "-0").awaitMore(20);
    writer(name + "-0").assertWhole();
    writer(name + "-0").assertNeverRestarted();
    assertThat(sandbox.in(name + "-0", "ls /data")).doesNotContain("late");
  }

  private static List<String> attachedTo(String volume) {
    List<String> nodes = new ArrayList<>();
    for (JsonNode attachment : sandbox.objects("volumeattachments.storage.k8s.io")) {
      if (attachment.at("/spec/source/persistentVolumeName").asText().equals(volume)) {
        nodes.add(attachment.at("/spec/nodeName").asText());
      }
    }
    return nodes;
  }

  private void isTakenAway(String name) {
    sandbox.delete("statefulset", name);
    sandbox.awaitGone("pod", name + "-0");
    sandbox.deleteClaim("data-" + name + "-0");
    before.awaitNothingMore();
  }

  private void awaitNodeReady(String status) {
    sandbox.await("node", node.name(), LIMIT, n -> readiness(n).equals(status));
  }

  private static String readiness(JsonNode node) {
    for (JsonNode condition : node.at("/status/conditions")) {
      if (condition.path("type").asText().equals("Ready")) {
        return condition.path("status").asText();
      }
    }
    return "";
  }
}
