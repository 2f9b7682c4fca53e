package dev.holdfast.itests;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Pods of a real Kubernetes write on while what they stand on is away or replaced. */
@Tag("soak")
class KubernetesTroubleE2E extends InSandbox {
  private static final Duration LIMIT = Duration.ofMinutes(5);

  @Test
  void podKeepsWritingWhileTheApiServerIsDownForTwoMinutes() throws IOException {
    sandbox.apply(Manifests.claim("going", "64Mi"), Manifests.writer("going-on", 1, "going"));
    sandbox.awaitRunning("going-on");
    long last = writer("going-on").awaitNumber(10);
    String lines =
        "cat /var/lib/kubelet/pods/*/volumes/kubernetes.io~csi/"
            + sandbox.volumeOf("going")
            + "/mount/log | wc -l";

    sandbox.loseApiServer();
    long end = System.nanoTime() + Duration.ofMinutes(2).toNanos();
    while (System.nanoTime() < end) {
      long seen = last;
      Await.until("it writes on", LIMIT, () -> Long.parseLong(sandbox.on(1, lines)) > seen + 20);
      last = Long.parseLong(sandbox.on(1, lines));
    }
    sandbox.giveApiServerBack();

    writer("going-on").awaitNumber(last + 20);
    writer("going-on").assertWhole();
    writer("going-on").assertNeverRestarted();
    sandbox.delete("pod", "going-on");
    sandbox.deleteClaim("going");
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
    List<HoldfastPod> holdfast =
        IntStream.rangeClosed(1, 3).mapToObj(node -> new HoldfastPod(sandbox, node)).toList();
    List<String> before = holdfast.stream().map(HoldfastPod::name).toList();

    sandbox.kubectl("--namespace=holdfast-system", "rollout", "restart", "daemonset/holdfast-node");
    for (int i = 0; i < 3; i++) {
      int index = i;
      Await.until(
          before.get(i) + " is replaced",
          LIMIT,
          () -> holdfast.get(index).isReplaced(before.get(index)));
    }

    for (String pod : pods) {
      writer(pod).awaitMore(20);
      writer(pod).assertWhole();
      writer(pod).assertNeverRestarted();
      sandbox.delete("pod", pod);
      sandbox.deleteClaim(pod.replace("keeper", "kept"));
    }
  }
}
