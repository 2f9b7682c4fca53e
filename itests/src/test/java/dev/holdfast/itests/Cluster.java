package dev.holdfast.itests;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;

/**
 * Several nodes of the real distribution on loopback addresses of their own, made and driven by the
 * command {@code holdfast}. Node 1 has the store. All are killed at the latest by {@link #close}.
 *
 * <p>Addresses are drawn at random, so that clusters of several tests do not meet.
 */
final class Cluster implements AutoCloseable {
  private static final Path DISTRIBUTION =
      Path.of(System.getProperty("holdfast.distribution")).normalize();

  /** Seconds after which a silent node is not ready: short, for tests that wait for it. */
  private static final int LEASE_SECONDS = 8;

  private static final String JAVA_OPTIONS =
      "-Xmx192m -XX:MaxDirectMemorySize=192m -Dholdfast.node.lease=" + LEASE_SECONDS;
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Path data;
  private final int size;
  private final String address;

  private final Optional<Network> network;
  private Path distribution = DISTRIBUTION;
  private Api api;

  private Cluster(Path data, int size, String address, Optional<Network> network) {
    this.data = data;
    this.size = size;
    this.address = address;
    this.network = network;
  }

  /**
   * Starts a cluster whose state is kept below a directory, and waits until the store has all of
   * its nodes: each registers itself once it runs.
   */
  static Cluster start(Path data, int size) {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    String address = "127." + random.nextInt(64, 255) + "." + random.nextInt(1, 255) + ".1";
    Cluster cluster = new Cluster(data, size, address, Optional.empty());
    try {
      cluster.prepare();
      cluster.upAll().succeeded();
      IntStream.rangeClosed(1, size).forEach(node -> cluster.awaitReadiness(node, "True"));
    } catch (AssertionError e) {
      cluster.close();
      throw e;
    }
    return cluster;
  }

  /** Starts a cluster whose nodes are machines of their own in a network. */
  static Cluster start(Path data, int size, Network network) {
    Cluster cluster = new Cluster(data, size, network.address(1), Optional.of(network));
    try {
      cluster.prepare();
      cluster.upAt(1, "--address", network.address(1), "--disks", "1");
      for (int node = 2; node <= size; node++) {
        cluster.upAt(
            node,
            "--join",
            network.address(1),
            "--address",
            network.address(node),
            "--name",
            "node-" + node,
            "--disks",
            "1",
            "--token",
            cluster.ok("node", "token"));
      }
    } catch (AssertionError e) {
      cluster.close();
      throw e;
    }
    return cluster;
  }

  private void prepare() {
    IntStream.rangeClosed(1, size).mapToObj(this::data).forEach(PreparedInstance::into);
  }

  private void upAt(int node, String... options) {
    List<String> words = new ArrayList<>(List.of("up", "--no-demo", "--open-frontends", "network"));
    words.addAll(List.of(options));
    run(network.orElseThrow().at(node), data(node), words).succeeded();
  }

  /** Starts later nodes, and runs later commands, by another distribution. */
  void use(Path other) {
    distribution = other;
  }

  /** Starts every node that does not run. */
  Command.Result upAll() {
    List<String> words = new ArrayList<>(List.of("up", "--no-demo"));
    words.addAll(List.of("--nodes", String.valueOf(size), "--address", address));
    // Tests use clients without a credential. Earlier releases ask for none.
    if (distribution.equals(DISTRIBUTION) && !Files.exists(data.resolve("holdfast.env"))) {
      words.addAll(List.of("--open-frontends", "loopback"));
    }
    return run(words.toArray(String[]::new));
  }

  /** Starts one node again. */
  Command.Result up(int node) {
    if (network.isPresent()) {
      return run(network.get().at(node), data(node), List.of("up", "--no-demo"));
    }
    return run("up", "--no-demo", "--node", String.valueOf(node));
  }

  /** Returns a line for a shell that starts one node again. */
  String upCommand(int node) {
    return "HOLDFAST_JAVA_OPTS='%s' exec '%s' up --no-demo --node %d --data '%s'"
        .formatted(javaOptions(), distribution.resolve("holdfast"), node, data);
  }

  /** Stops one node as a user does. */
  void down(int node) {
    run("down", "--node", String.valueOf(node)).succeeded();
  }

  /** Runs {@code holdfast} for the cluster, through node 1. */
  Command.Result run(String... words) {
    return run(data, words);
  }

  /** Runs {@code holdfast} with a data directory. */
  Command.Result run(Path directory, String... words) {
    return run(List.of(), directory, List.of(words));
  }

  private Command.Result run(List<String> where, Path directory, List<String> words) {
    List<String> all = new ArrayList<>(where);
    all.add(distribution.resolve("holdfast").toString());
    all.addAll(words);
    all.addAll(List.of("--data", directory.toString()));
    return Command.of(all)
        .with("HOLDFAST_JAVA_OPTS", javaOptions())
        .within(Duration.ofMinutes(12))
        .run();
  }

  private String javaOptions() {
    return network.isPresent() ? JAVA_OPTIONS : JAVA_OPTIONS + " " + RunningNode.QUICK;
  }

  /** Runs it and expects success; returns its output. */
  String ok(String... words) {
    return run(words).succeeded().out();
  }

  /** Runs it and reads what it prints with {@code -o json}. */
  JsonNode json(String... words) {
    List<String> all = new ArrayList<>(List.of(words));
    all.addAll(List.of("-o", "json"));
    return tree(ok(all.toArray(String[]::new)));
  }

  static JsonNode tree(String text) {
    try {
      return JSON.readTree(text);
    } catch (IOException e) {
      throw new UncheckedIOException(text, e);
    }
  }

  /** Returns the API of node 1, always the same one: each has connections of its own. */
  synchronized Api api() {
    if (api == null) {
      api = new Api(data.resolve("kubeconfig"));
    }
    return api;
  }

  /** Returns the data directory of a node. */
  Path data(int node) {
    return node == 1 ? data : data.resolve("nodes").resolve("node-" + node);
  }

  String address(int node) {
    return address.substring(0, address.lastIndexOf('.') + 1) + node;
  }

  int size() {
    return size;
  }

  long pid(int node) {
    try {
      return Long.parseLong(Files.readString(data(node).resolve("holdfast.pid")).strip());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Ends the process as a power cut would: no handler runs. */
  void kill(int node) {
    ProcessHandle process = ProcessHandle.of(pid(node)).orElseThrow();
    process.destroyForcibly();
    process.onExit().join();
  }

  /** Lets a node stand still, with all its connections open. */
  void pause(int node) {
    Command.of("kill", "-STOP", String.valueOf(pid(node))).run().succeeded();
  }

  /** Resumes a paused node. */
  void resume(int node) {
    Command.of("kill", "-CONT", String.valueOf(pid(node))).run().succeeded();
  }

  /** Returns the status of a node's condition Ready, as node 1 has it; empty for no such node. */
  String readiness(int node) {
    return readiness(api(), node);
  }

  private static String readiness(Api api, int node) {
    for (JsonNode resource : api.items("nodes")) {
      if (resource.at("/metadata/name").asText().equals("node-" + node)) {
        for (JsonNode condition : resource.at("/status/conditions")) {
          if (condition.path("type").asText().equals("Ready")) {
            return condition.path("status").asText();
          }
        }
      }
    }
    return "";
  }

  void awaitReadiness(int node, String status) {
    Api api = api();
    Await.until(
        "node " + node + " is " + status,
        Duration.ofSeconds(90),
        () -> readiness(api, node).equals(status));
  }

  String log(int node) {
    try {
      return Files.readString(data(node).resolve("log/holdfast.log"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    IntStream.rangeClosed(1, size)
        .filter(node -> Files.exists(data(node).resolve("holdfast.pid")))
        .mapToObj(node -> ProcessHandle.of(pid(node)))
        .flatMap(Optional::stream)
        .forEach(
            process -> {
              process.destroyForcibly();
              process.onExit().join();
            });
  }
}
