package dev.holdfast.itests;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pods of a real Kubernetes write on while what they stand on is away or replaced. */
@Tag("soak")
class KubernetesTroubleE2E {
  private static final Duration LIMIT = Duration.ofMinutes(5);

  @TempDir static Path directory;
  private static Sandbox sandbox;

  @BeforeAll
  static void start() throws IOException {
    Sandbox.assumePossible();
    sandbox = Sandbox.start(directory);
  }

  @AfterAll
  static void stop() throws IOException {
    if (sandbox != null) {
      sandbox.close();
    }
  }

  @Test
  void podsWriteOnWhileHoldfastIsReplacedOnOneNodeAfterAnother() {
    for (int node = 1; node <= 3; node++) {
      sandbox.apply(
          Manifests.claim("kept-" + node, "64Mi"),
          Manifests.writer("keeper-" + node, node, "kept-" + node));
    }
    List<String> pods = List.of("keeper-1", "keeper-2", "keeper-3");
    pods.forEach(sandbox::awaitRunning);
    pods.forEach(pod -> writer(pod).awaitNumber(10));
    List<String> before =
        List.of(sandbox.holdfastPod(1), sandbox.holdfastPod(2), sandbox.holdfastPod(3));

    sandbox.kubectl("--namespace=holdfast-system", "rollout", "restart", "daemonset/holdfast-node");
    for (int node = 1; node <= 3; node++) {
      int number = node;
      Await.until(
          "Holdfast is replaced on node-" + node,
          LIMIT,
          () -> sandbox.hasOtherHoldfastPod(number, before.get(number - 1)));
    }

    for (String pod : pods) {
      writer(pod).awaitMore(20);
      writer(pod).assertWhole();
      writer(pod).assertNeverRestarted();
      sandbox.delete("pod", pod);
      sandbox.deleteClaim(pod.replace("keeper", "kept"));
    }
  }

  private static PodWriter writer(String pod) {
    return new PodWriter(sandbox, pod);
  }
}
