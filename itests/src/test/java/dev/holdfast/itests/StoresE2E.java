package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.kube.testkit.EtcdServer;
import dev.holdfast.kube.testkit.KubeApiServer;
import dev.holdfast.kube.testkit.KubeTools;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Nodes with an external store: a real Kubernetes API server, a real etcd. The store is down for a
 * while, and clients that read and write see no error.
 */
class StoresE2E {
  private static final Duration LIMIT = Duration.ofMinutes(3);
  private static final String NAMESPACE = "holdfast-system";
  private static final int BLOCKS = 64;

  @TempDir Path directory;

  /** Something that is killed and started again. */
  private interface Outage {
    void run() throws IOException;
  }

  /** The node has the rights of the manifests, and brings the definitions itself. */
  @Test
  void theApiServerOfKubernetesIsTheStore() throws IOException {
    try (KubeApiServer server =
        KubeApiServer.start(directory.resolve("kubernetes"), "--allow-privileged")) {
      Path admin = server.kubeconfig();
      kubectl(admin, "apply", "-f", KubeTools.tree() + "/deploy/manifests/holdfast.yaml");
      Path account = server.kubeconfigOfServiceAccount(NAMESPACE, "holdfast-node");
      try (RunningNode node =
          RunningNode.start(
              directory.resolve("data"),
              "--store=kubernetes",
              "--kubeconfig=" + account,
              "--namespace=" + NAMESPACE,
              "--name=node-1")) {
        writeThroughAnOutage(node, 3, server::kill, server::restart);

        String volumes = kubectl(admin, "get", "volumes.holdfast.dev");
        assertThat(volumes).containsPattern("before +64Mi +attached +healthy +node-1");
        assertThat(volumes).containsPattern("after +64Mi +attached +healthy +node-1");
        assertThat(kubectl(admin, "get", "leases", "-n", NAMESPACE))
            .containsPattern("reconciler-volume +node-1");
        node.ok("volume", "detach", "after");
        kubectl(admin, "delete", "volumes.holdfast.dev", "after");
        assertThat(node.ok("volume", "list")).contains("before").doesNotContain("after");
      }
    }
  }

  @Test
  void anEtcdIsTheStore() throws IOException {
    try (EtcdServer etcd = EtcdServer.start(directory.resolve("etcd"));
        RunningNode node =
            RunningNode.start(
                directory.resolve("data"), "--store", "etcd", "--endpoints", etcd.endpoint())) {
      writeThroughAnOutage(node, 2, etcd::kill, etcd::restart);

      assertThat(node.ok("volume", "list")).contains("before").contains("after");
      aSecondMachineOfItsNameTakesNothing(node, etcd);
    }
  }

  /** Both are called as this machine. */
  private void aSecondMachineOfItsNameTakesNothing(RunningNode node, EtcdServer etcd)
      throws IOException {
    SteadyWrites kept = new SteadyWrites(BLOCKS, 8, node.volume("own", "16Mi", 1));
    try (SteadyWrites writes = kept;
        RunningNode second =
            RunningNode.start(
                directory.resolve("second"), "--store", "etcd", "--endpoints", etcd.endpoint())) {
      Await.until(
          "it is refused",
          LIMIT,
          () -> second.log().contains("another machine has this name and is alive"));
      writes.awaitProgress();
      assertThat(second.data().resolve("disks")).doesNotExist();
    }
    kept.verify();
  }

  private static void awaitHealthy(RunningNode node, String volume) {
    Await.until(
        volume + " is healthy",
        LIMIT,
        () -> {
          Command.Result answer = node.run("volume", "get", volume);
          return answer.exitCode() == 0 && answer.out().contains("healthy");
        });
  }

  private static void writeThroughAnOutage(RunningNode node, int replicas, Outage begin, Outage end)
      throws IOException {
    URI uri = node.volume("before", "64Mi", replicas);
    awaitHealthy(node, "before");
    SteadyWrites kept = new SteadyWrites(BLOCKS, 7, uri);
    try (SteadyWrites writes = kept) {
      writes.awaitProgress();
      begin.run();
      writes.awaitProgress();
      writes.awaitProgress();
      node.run("volume", "create", "during", "--size", "64Mi").failed();
      end.run();
      writes.awaitProgress();
      Await.until("the store answers", LIMIT, () -> node.run("volume", "list").exitCode() == 0);
      node.volume("after", "64Mi", replicas);
      awaitHealthy(node, "after");
      writes.awaitProgress();
    }
    kept.verify();
  }

  private static String kubectl(Path kubeconfig, String... words) {
    String[] all = new String[words.length + 1];
    all[0] = "kubectl";
    System.arraycopy(words, 0, all, 1, words.length);
    return Command.of(all)
        .with("KUBECONFIG", kubeconfig.toString())
        .within(LIMIT)
        .run()
        .succeeded()
        .out();
  }
}
