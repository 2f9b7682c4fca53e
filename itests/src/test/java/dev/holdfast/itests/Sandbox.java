package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * A Kubernetes of real programs with Holdfast in it, started by {@code holdfast sandbox}. It ends
 * with this process at the latest, because its command ends with its standard input.
 */
final class Sandbox implements AutoCloseable {
  static final Path TREE = Path.of(System.getProperty("holdfast.tree")).normalize();

  /** How many nodes it has: {@code node-1} and so on. */
  static final int NODES = 3;

  private static final Duration START = Duration.ofMinutes(8);
  private static final Duration LIMIT = Duration.ofMinutes(3);
  private static final List<String> PROGRAMS =
      List.of(
          "etcd",
          "kube-apiserver",
          "kube-controller-manager",
          "kube-scheduler",
          "kubelet",
          "csi-provisioner",
          "csi-attacher",
          "csi-resizer",
          "csi-snapshotter",
          "snapshot-controller");
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Path data;
  private final Path output;
  private final Optional<Process> process;

  private Sandbox(Path data, Path output, Optional<Process> process) {
    this.data = data;
    this.output = output;
    this.process = process;
  }

  /** Skips the test, with the reason, where there can be none, or none soon enough. */
  static void assumePossible() {
    assumeTrue("root".equals(System.getProperty("user.name")), "a kubelet needs root");
    assumeTrue(
        Boolean.getBoolean("holdfast.soak") || programsAreBuilt(),
        "the programs of a Kubernetes are not built here, which takes minutes: './holdfast sandbox"
            + " --run true' does it, and so does the soak");
  }

  private static boolean programsAreBuilt() {
    List<String> words = new ArrayList<>();
    words.addAll(List.of(TREE.resolve("itests/lib/kube-tools").toString(), "--built"));
    words.addAll(PROGRAMS);
    return Command.of(words).run().exitCode() == 0;
  }

  /**
   * Starts a sandbox and waits until volumes can be used. If the property {@code holdfast.sandbox}
   * names the directory of a running sandbox, that one is used and keeps running.
   */
  static Sandbox start(Path directory) throws IOException {
    String running = System.getProperty("holdfast.sandbox");
    return running == null
        ? startNew(directory)
        : new Sandbox(Path.of(running), directory, Optional.empty());
  }

  private static Sandbox startNew(Path directory) throws IOException {
    Path data = directory.resolve("sandbox");
    Path output = directory.resolve("sandbox.log");
    List<String> words = new ArrayList<>();
    words.addAll(List.of(TREE.resolve("holdfast").toString(), "sandbox"));
    words.addAll(List.of("--data", data.toString(), "--run", "cat"));
    words.addAll(List.of("--store", System.getProperty("holdfast.sandbox.store", "kubernetes")));
    ProcessBuilder builder =
        new ProcessBuilder(words).redirectErrorStream(true).redirectOutput(output.toFile());
    builder.environment().put("HOLDFAST_NO_BUILD", "yes");
    builder.environment().put("HOLDFAST_JAVA_OPTS", "-XX:TieredStopAtLevel=1");
    Process process = builder.start();
    try {
      Await.until("the sandbox is ready", START, () -> isReady(process, data));
      return new Sandbox(data, output, Optional.of(process));
    } catch (AssertionError e) {
      process.getOutputStream().close();
      process.destroy();
      throw new AssertionError(Files.readString(output), e);
    }
  }

  private static boolean isReady(Process process, Path data) {
    assertThat(process.isAlive()).as("the sandbox runs").isTrue();
    return Files.exists(data.resolve("ready"));
  }

  /** Returns the directory of the sandbox. */
  Path data() {
    return data;
  }

  /** Runs a command in it, among the programs of the control plane. */
  Command.Result run(String... words) {
    return enter(List.of(), words);
  }

  private Command.Result enter(List<String> options, String... words) {
    return Command.of(entering(options, words)).within(LIMIT).run();
  }

  private List<String> entering(List<String> options, String... words) {
    List<String> all = new ArrayList<>();
    all.add(TREE.resolve("itests/lib/sandbox").toString());
    all.addAll(List.of("enter", "--data", data.toString()));
    all.addAll(options);
    all.addAll(List.of(words));
    return all;
  }

  /** A program that is to run beside the control plane. */
  ProcessBuilder starting(String... words) {
    return new ProcessBuilder(entering(List.of(), words));
  }

  /** Runs a command of the shell on a node, beside its kubelet, and expects success. */
  String on(int node, String command) {
    return enter(List.of("--node", String.valueOf(node)), "sh", "-c", command).succeeded().out();
  }

  /** Kills the API server, and keeps it from being started again. */
  void loseApiServer() throws IOException {
    Files.createFile(data.resolve("kube-apiserver.away"));
    run("pkill", "-KILL", "-x", "kube-apiserver").succeeded();
  }

  void giveApiServerBack() throws IOException {
    Files.delete(data.resolve("kube-apiserver.away"));
    Await.until(
        "the API server is ready",
        LIMIT,
        () -> run("kubectl", "get", "--raw", "/readyz").exitCode() == 0);
  }

  /** Runs kubectl and expects success; returns its output. */
  String kubectl(String... words) {
    return run(Stream.concat(Stream.of("kubectl"), Arrays.stream(words)).toArray(String[]::new))
        .succeeded()
        .out();
  }

  /** Creates or changes the objects of manifests. */
  void apply(String... manifests) {
    try {
      Path file = Files.createTempFile(data, "manifest", ".yaml");
      Files.writeString(file, String.join("---\n", manifests));
      kubectl("apply", "-f", file.toString());
      Files.delete(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns one object, an empty one when there is none. */
  JsonNode object(String kind, String name) {
    String json = get(kind, name, "--ignore-not-found");
    try {
      return JSON.readTree(json.isEmpty() ? "{}" : json);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns all objects of some kinds. */
  JsonNode objects(String kinds) {
    try {
      return JSON.readTree(get(kinds)).path("items");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Holdfast's own objects are read from a node where the API server does not have them. */
  private String get(String kinds, String... words) {
    List<String> all = new ArrayList<>(List.of("get", kinds, "-o", "json"));
    all.addAll(List.of(words));
    Path ofHoldfast = data.resolve("holdfast.kubeconfig");
    if (kinds.endsWith(".holdfast.dev") && Files.exists(ofHoldfast)) {
      all.addAll(List.of("--kubeconfig", ofHoldfast.toString()));
    }
    return kubectl(all.toArray(String[]::new));
  }

  /** Waits until an object meets a condition; reports its state after the time-out. */
  JsonNode await(String kind, String name, Predicate<JsonNode> condition) {
    return await(kind, name, LIMIT, condition);
  }

  JsonNode await(String kind, String name, Duration limit, Predicate<JsonNode> condition) {
    try {
      Await.until(
          kind + " " + name + " is as it should be",
          limit,
          () -> condition.test(object(kind, name)));
    } catch (AssertionError e) {
      throw new AssertionError(
          run("kubectl", "describe", kind, name).out()
              + run("kubectl", "get", "events").out()
              + run("kubectl", "get", "pods,pvc,pv,volumeattachments", "-A").out(),
          e);
    }
    return object(kind, name);
  }

  JsonNode awaitRunning(String pod) {
    return await("pod", pod, Sandbox::isRunning);
  }

  /** A pod that is being deleted does not count. */
  static boolean isRunning(JsonNode pod) {
    return pod.at("/metadata/deletionTimestamp").isMissingNode()
        && pod.at("/status/containerStatuses/0/ready").asBoolean();
  }

  void awaitGone(String kind, String name) {
    await(kind, name, JsonNode::isEmpty);
  }

  /** Deletes an object and waits until nothing is left of it. */
  void delete(String kind, String name) {
    kubectl("delete", kind, name, "--wait=false");
    awaitGone(kind, name);
  }

  /** Runs a command of the shell in a pod. */
  String in(String pod, String command) {
    return kubectl("exec", pod, "--", "sh", "-c", command);
  }

  /** Returns the name of a claim's volume, which is that of Holdfast's, too. */
  String volumeOf(String claim) {
    return object("pvc", claim).at("/spec/volumeName").asText();
  }

  /** Returns the name of a claim's snapshot in a group of them. */
  String snapshotInGroup(String group, String claim) {
    for (JsonNode snapshot : objects("volumesnapshots")) {
      if (snapshot.at("/metadata/ownerReferences/0/name").asText().equals(group)
          && snapshot.at("/spec/source/persistentVolumeClaimName").asText().equals(claim)) {
        return snapshot.at("/metadata/name").asText();
      }
    }
    throw new AssertionError("no snapshot of " + claim + " in " + group);
  }

  /** Deletes a claim and waits until nothing is left of its volume. */
  void deleteClaim(String claim) {
    String volume = volumeOf(claim);
    delete("pvc", claim);
    awaitNoVolume(volume);
  }

  void awaitNoVolume(String volume) {
    awaitGone("pv", volume);
    awaitGone("volumes.holdfast.dev", volume);
  }

  @Override
  public void close() throws IOException {
    if (process.isPresent()) {
      end(process.get());
    }
  }

  private void end(Process process) throws IOException {
    process.getOutputStream().close();
    try {
      assertThat(process.waitFor(3, TimeUnit.MINUTES)).as("the sandbox ends").isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    assertThat(process.exitValue()).as(Files.readString(output)).isZero();
  }
}
