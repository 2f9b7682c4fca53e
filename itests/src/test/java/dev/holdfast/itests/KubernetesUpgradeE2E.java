package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The driver, the engine and the frontend are replaced in Holdfast's own containers, on one node of
 * a real Kubernetes after another, and reverted. A pod on each node writes: no write fails, no data
 * is lost, no container restarts. The new driver unmounts and mounts a volume that the old driver
 * mounted.
 */
@Tag("soak")
class KubernetesUpgradeE2E extends InSandbox {
  /** Sidecars that lose their driver end, and are started again later and later. */
  private static final Duration LIMIT = Duration.ofMinutes(10);

  private static final List<String> ARTIFACTS =
      List.of("holdfast-csi", "holdfast-engine-sparse", "holdfast-frontend-nbd");

  private static final List<String> BUNDLES =
      ARTIFACTS.stream().map(BundleJars::symbolicName).toList();

  private static final String CURRENT = BundleJars.currentVersion("holdfast-csi");
  private static final String NEXT = "99.0.0";

  private final List<String> containers = new ArrayList<>();

  @BeforeEach
  void usePods() {
    for (int node = 1; node <= Sandbox.NODES; node++) {
      sandbox.apply(
          Manifests.claim("kept-" + node, "64Mi"),
          Manifests.writer("keeper-" + node, node, "kept-" + node),
          Manifests.claim("used-" + node, "64Mi"),
          Manifests.idle("user-" + node, node, "used-" + node));
    }
    for (int node = 1; node <= Sandbox.NODES; node++) {
      awaitRunning("user-" + node);
      sandbox.in("user-" + node, "echo of node " + node + " > /data/text && sync");
      awaitRunning("keeper-" + node);
      writer("keeper-" + node).awaitNumber(10);
      containers.add(holdfast(node).container());
    }
  }

  @AfterEach
  void judge() {
    for (int node = 1; node <= Sandbox.NODES; node++) {
      PodWriter writer = writer("keeper-" + node);
      writer.awaitMore(20);
      writer.assertWhole();
      writer.assertNeverRestarted();
      assertThat(holdfast(node).container()).isEqualTo(containers.get(node - 1));
    }
    for (int node = 1; node <= Sandbox.NODES; node++) {
      sandbox.kubectl("delete", "pod", "keeper-" + node, "user-" + node, "--wait=false");
    }
    for (int node = 1; node <= Sandbox.NODES; node++) {
      sandbox.awaitGone("pod", "keeper-" + node);
      sandbox.awaitGone("pod", "user-" + node);
      sandbox.deleteClaim("kept-" + node);
      sandbox.deleteClaim("used-" + node);
    }
  }

  @Test
  void holdfastUpgradeReplacesThemAndTakesThemBack() throws IOException {
    String archive = BundleUpgrades.archive(directory, jars().toArray(String[]::new)).toString();
    for (int node = 1; node <= Sandbox.NODES; node++) {
      upgrade(node, holdfast(node).put(archive));
      works(node, NEXT);
      comesAgain(node);
      upgrade(node, "--rollback");
      works(node, CURRENT);
    }
  }

  @Test
  void karafsUpdateReplacesThemAndTheyAreTakenBack() throws IOException {
    List<String> jars = jars();
    for (int node = 1; node <= Sandbox.NODES; node++) {
      for (int i = 0; i < jars.size(); i++) {
        update(node, BUNDLES.get(i), jars.get(i));
      }
      works(node, NEXT);
      comesAgain(node);
      for (int i = 0; i < jars.size(); i++) {
        upgrade(node, "--rollback");
      }
      works(node, CURRENT);
    }
  }

  private static HoldfastPod holdfast(int node) {
    return new HoldfastPod(sandbox, node);
  }

  private static List<String> jars() {
    return ARTIFACTS.stream()
        .map(artifact -> OtherVersion.of(artifact, NEXT).in(directory))
        .toList();
  }

  private static void awaitRunning(String pod) {
    sandbox.await("pod", pod, LIMIT, Sandbox::isRunning);
  }

  private static void upgrade(int node, String to) throws IOException {
    assertThat(
            new BundleUpgrades(holdfast(node))
                .upgrade(true, to, "--node", "node-" + node)
                .path("state")
                .asText())
        .isEqualTo("DONE");
  }

  /** Waits until the replacement is final, because only then it can be reverted. */
  private static void update(int node, String bundle, String jar) {
    HoldfastPod pod = holdfast(node);
    String file = pod.put(jar);
    pod.run("shell", "bundle:update %s/%s file:%s".formatted(bundle, CURRENT, file)).succeeded();
    Await.until(
        bundle + " has been replaced",
        LIMIT,
        () ->
            pod.run("upgrade", "--status")
                .succeeded()
                .out()
                .contains("node node-%d: bundle:update %s: done".formatted(node, bundle)));
  }

  /** Only bundles of that version are there, so the pod's writes go through them. */
  private static void works(int node, String version) {
    assertThat(new BundleUpgrades(holdfast(node)).versions(BUNDLES))
        .hasSameSizeAs(BUNDLES)
        .containsOnly("Active " + version);
    writer("keeper-" + node).awaitMore(20);
  }

  /** Its volume is unmounted and mounted by the driver that is there now. */
  private static void comesAgain(int node) {
    String pod = "user-" + node;
    sandbox.delete("pod", pod);
    sandbox.apply(Manifests.idle(pod, node, "used-" + node));
    awaitRunning(pod);
    assertThat(sandbox.in(pod, "cat /data/text")).isEqualTo("of node " + node);
  }
}
