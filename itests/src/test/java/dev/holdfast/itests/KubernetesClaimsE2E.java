package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Many claims are made, used by pods, left and deleted, some at a time. They must leave nothing
 * behind. The durations are printed beside those of a driver that does almost no work, because the
 * rest is the time of Kubernetes.
 */
@Tag("soak")
class KubernetesClaimsE2E extends InSandbox {
  private static final int CLAIMS = Integer.getInteger("holdfast.claims", 100);
  private static final int AT_A_TIME = Integer.getInteger("holdfast.claims.together", 4);
  private static final Duration LIMIT = Duration.ofMinutes(5);
  private static final List<String> STEPS =
      List.of("created", "attached and its pod ready", "pod gone and detached", "deleted");
  private static final String REPLICATED = "{numberOfReplicas: '3'}";

  private record Kinds(
      SandboxWatch claims, SandboxWatch pods, SandboxWatch attachments, SandboxWatch volumes) {}

  @Test
  void manyClaimsLeaveNothingBehind() throws Exception {
    sandbox.apply(Manifests.storageClass("many", "Immediate", REPLICATED));
    sandbox.apply(
        Manifests.storageClass("directories", "Immediate", "{}")
            .replace("csi.holdfast.dev", DirectoryDriver.NAME));
    SandboxInventory before = SandboxInventory.of(sandbox);
    try (SandboxWatch claims = SandboxWatch.of(sandbox, "pvc");
        SandboxWatch pods = SandboxWatch.of(sandbox, "pods");
        SandboxWatch attachments = SandboxWatch.of(sandbox, "volumeattachments.storage.k8s.io");
        SandboxWatch volumes = SandboxWatch.of(sandbox, "pv")) {
      Kinds kinds = new Kinds(claims, pods, attachments, volumes);
      tell("csi.holdfast.dev", lives(kinds, "ours", "many"));
      before.awaitNothingMore();
      tell(DirectoryDriver.NAME, livesOfDirectories(kinds));
    }
    sandbox.kubectl("delete", "storageclass", "many", "directories");
  }

  /** Its sidecars are the same programs, outside pods. */
  private static List<long[]> livesOfDirectories(Kinds kinds) throws Exception {
    String socket = sandbox.data() + "/node-1/var/lib/kubelet/plugins/dirs/csi.sock";
    try (DirectoryDriver driver = DirectoryDriver.start(sandbox.data(), Sandbox.NODES);
        Sidecar provisioner = new Sidecar("csi-provisioner", socket);
        Sidecar attacher = new Sidecar("csi-attacher", socket)) {
      Await.until(
          "the kubelets know " + DirectoryDriver.NAME, LIMIT, KubernetesClaimsE2E::isRegistered);
      provisioner.await("Started provisioner controller");
      attacher.await("Starting CSI attacher");
      List<long[]> times = lives(kinds, "least", "directories");
      assertThat(driver.published()).isGreaterThanOrEqualTo(CLAIMS);
      return times;
    }
  }

  /** A sidecar that exits, as sidecars do with a slow driver, is restarted, as in a pod. */
  private static final class Sidecar implements AutoCloseable {
    private static final String AGAIN_AND_AGAIN =
        "echo $$ > \"$0.pid\"; while :; do \"$@\" >> \"$0\" 2>&1; sleep 1; done";

    private final String program;
    private final Process process;

    Sidecar(String program, String socket) throws IOException {
      this.program = program;
      Files.writeString(Path.of(log()), "");
      process =
          sandbox
              .starting(
                  "setsid",
                  "--wait",
                  "sh",
                  "-c",
                  AGAIN_AND_AGAIN,
                  log(),
                  program,
                  "--csi-address=" + socket,
                  "--kubeconfig=" + sandbox.data() + "/kubeconfig",
                  "--timeout=60s",
                  "--retry-interval-start=500ms")
              .inheritIO()
              .start();
    }

    void await(String told) {
      Await.until(
          program + " tells: " + told,
          LIMIT,
          () -> Files.readString(Path.of(log())).contains(told));
    }

    private String log() {
      return sandbox.data() + "/log/test-" + program;
    }

    @Override
    public void close() {
      sandbox.run("sh", "-c", "kill -- -$(cat \"$0.pid\")", log());
      process.destroy();
    }
  }

  private static boolean isRegistered() {
    String path = "jsonpath={.items[*].spec.drivers[*].name}";
    String drivers = sandbox.kubectl("get", "csinodes", "-o", path);
    return List.of(drivers.split(" ", -1)).stream().filter(DirectoryDriver.NAME::equals).count()
        == Sandbox.NODES;
  }

  private static List<long[]> lives(Kinds kinds, String prefix, String storageClass)
      throws Exception {
    ExecutorService users = Executors.newFixedThreadPool(AT_A_TIME);
    try {
      List<Future<long[]>> pending = new ArrayList<>();
      for (int i = 0; i < CLAIMS; i++) {
        String name = prefix + "-" + i;
        int node = i % Sandbox.NODES + 1;
        pending.add(users.submit(() -> life(kinds, name, node, storageClass)));
      }
      List<long[]> times = new ArrayList<>();
      for (Future<long[]> one : pending) {
        times.add(one.get());
      }
      return times;
    } finally {
      users.shutdownNow();
    }
  }

  /** Returns the milliseconds of each step, each with its single command. */
  private static long[] life(Kinds kinds, String name, int node, String storageClass) {
    long begin = System.nanoTime();
    sandbox.apply(Manifests.claimOf(name, storageClass));
    JsonNode claim =
        kinds.claims.await(name, LIMIT, c -> c.at("/status/phase").asText().equals("Bound"));
    String volume = claim.at("/spec/volumeName").asText();
    long created = System.nanoTime();
    sandbox.apply(Manifests.idle(name, node, name));
    kinds.pods.await(name, LIMIT, Sandbox::isRunning);
    long running = System.nanoTime();
    sandbox.kubectl("delete", "pod", name, "--wait=false");
    kinds.pods.awaitNone(name, LIMIT, pod -> isNamed(pod, name));
    kinds.attachments.awaitNone("of " + volume, LIMIT, a -> isOf(a, volume));
    long detached = System.nanoTime();
    sandbox.kubectl("delete", "pvc", name, "--wait=false");
    kinds.volumes.awaitNone(volume, LIMIT, v -> isNamed(v, volume));
    long deleted = System.nanoTime();
    return new long[] {created - begin, running - created, detached - running, deleted - detached};
  }

  private static boolean isNamed(JsonNode object, String name) {
    return object.at("/metadata/name").asText().equals(name);
  }

  private static boolean isOf(JsonNode attachment, String volume) {
    return attachment.at("/spec/source/persistentVolumeName").asText().equals(volume);
  }

  private static void tell(String driver, List<long[]> times) {
    assertThat(times).hasSize(CLAIMS);
    for (int step = 0; step < STEPS.size(); step++) {
      int column = step;
      long[] sorted = times.stream().mapToLong(row -> row[column] / 1_000_000).sorted().toArray();
      System.out.printf(
          "%s, %d claims, %d at a time: %s: p50 %d ms, p99 %d ms%n",
          driver,
          CLAIMS,
          AT_A_TIME,
          STEPS.get(step),
          sorted[sorted.length / 2],
          sorted[(int) Math.ceil(sorted.length * 0.99) - 1]);
    }
  }
}
