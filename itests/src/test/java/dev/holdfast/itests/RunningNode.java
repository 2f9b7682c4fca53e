package dev.holdfast.itests;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A node of the real distribution in a directory of its own, started and stopped as by a user: by
 * the command {@code holdfast}. It is killed at the latest by {@link #close}.
 */
final class RunningNode implements AutoCloseable {
  private static final Path DISTRIBUTION =
      Path.of(System.getProperty("holdfast.distribution")).normalize();

  /**
   * The first compiler only, and no verification of classes, but in soak: the second compiler takes
   * half of what a start costs, the verification a seventh of the rest. Nodes of long load tests
   * enable both by {@link #withJava}.
   */
  static final String QUICK =
      Boolean.getBoolean("holdfast.soak")
          ? ""
          : "-XX:TieredStopAtLevel=1 -XX:+UnlockDiagnosticVMOptions"
              + " -XX:-BytecodeVerificationRemote";

  private final Path distribution;
  private final Path data;
  private final Ports ports;
  private String javaOptions = QUICK;
  private boolean open = true;

  private RunningNode(Path distribution, Path data, Ports ports) {
    this.distribution = distribution;
    this.data = data;
    this.ports = ports;
  }

  /** A node that is not started yet. */
  static RunningNode of(Path data) {
    PreparedInstance.into(data);
    return unprepared(data);
  }

  /** A node that is not started yet, and begins with nothing. */
  static RunningNode unprepared(Path data) {
    return of(data, DISTRIBUTION);
  }

  /** A node of another distribution that is not started yet. */
  static RunningNode of(Path data, Path distribution) {
    return new RunningNode(distribution, data, Ports.free());
  }

  /** Leaves the frontends as a user gets them: closed for clients without a credential. */
  RunningNode closed() {
    open = false;
    return this;
  }

  /** Sets the Java options of the next start. */
  RunningNode withJava(String options) {
    javaOptions = options;
    return this;
  }

  /** The same node, run by another distribution. */
  RunningNode at(Path other) {
    return new RunningNode(other, data, ports);
  }

  /** The same node, run by the distribution that is tested. */
  RunningNode current() {
    return at(DISTRIBUTION);
  }

  /** Starts a node whose state is kept below a directory. */
  static RunningNode start(Path data, String... options) {
    RunningNode node = of(data);
    node.up(options).succeeded();
    return node;
  }

  /** Starts it, again if it was stopped or killed; its ports stay the same. */
  Command.Result up(String... options) {
    List<String> words =
        new ArrayList<>(
            List.of(
                "up",
                "--no-demo",
                "--api-port",
                String.valueOf(ports.api()),
                "--nbd-port",
                String.valueOf(ports.nbd()),
                "--ssh-port",
                String.valueOf(ports.ssh()),
                "--rpc-port",
                String.valueOf(ports.rpc()),
                "--replica-port",
                String.valueOf(ports.replica())));
    // Earlier releases do not know these.
    if (distribution.equals(DISTRIBUTION)) {
      words.addAll(List.of("--iscsi-port", String.valueOf(ports.iscsi())));
      words.addAll(List.of("--nvmeof-port", String.valueOf(ports.nvmeof())));
    }
    if (opens(List.of(options))) {
      words.addAll(List.of("--open-frontends", "loopback"));
    }
    words.addAll(List.of(options));
    return run(words.toArray(String[]::new));
  }

  /** Most tests use clients without a credential; the first start decides it. */
  private boolean opens(List<String> options) {
    return open
        && distribution.equals(DISTRIBUTION)
        && !options.contains("--open-frontends")
        && !Files.exists(data.resolve("holdfast.env"));
  }

  /** Runs {@code holdfast} for this node. */
  Command.Result run(String... words) {
    List<String> all = new ArrayList<>();
    all.add(distribution.resolve("holdfast").toString());
    all.addAll(List.of(words));
    all.addAll(List.of("--data", data.toString()));
    return Command.of(all)
        .with("HOLDFAST_JAVA_OPTS", javaOptions)
        .with("HOLDFAST_SHELL_TIMEOUT", "170")
        .within(Duration.ofMinutes(3))
        .run();
  }

  /** Runs it and expects success; returns its output. */
  String ok(String... words) {
    return run(words).succeeded().out();
  }

  /** Creates a volume and attaches it; returns where it is. */
  URI volume(String name, String size, int replicas) {
    ok("volume", "create", name, "--size", size, "--replicas", String.valueOf(replicas));
    return attach(name);
  }

  /** Attaches a volume; returns its endpoint from its resource. */
  URI attach(String name) {
    ok("volume", "attach", name);
    return URI.create(api().get("volumes", name).at("/status/endpoint").asText());
  }

  /** Returns where a volume is for clients on other hosts. */
  URI endpoint(String name) {
    return URI.create(ok("volume", "endpoint", name, "--remote"));
  }

  /** Waits until a volume is detached. A failure shows what keeps it attached. */
  void awaitDetached(String volume, Duration limit) {
    try {
      Await.until(
          "volume " + volume + " is detached",
          limit,
          () -> ok("volume", "get", volume).contains("detached"));
    } catch (AssertionError e) {
      throw new AssertionError(
          String.join(
              "\n",
              e.getMessage(),
              run("volume", "why", volume).out(),
              run("volume", "get", volume, "-o", "json").out(),
              run("ticket", "list", "-o", "json").out(),
              log().lines().filter(line -> line.contains(volume)).collect(joining("\n"))),
          e);
    }
  }

  /** Runs commands in the Karaf shell, and expects success; returns their output. */
  String shell(String commands) {
    return tryShell(commands).succeeded().out();
  }

  /** Runs commands in the Karaf shell. */
  Command.Result tryShell(String commands) {
    return new KarafShell(data).run(commands);
  }

  /** Returns the node's API, for reads. */
  Api api() {
    return new Api(data.resolve("kubeconfig"));
  }

  long pid() {
    try {
      return Long.parseLong(Files.readString(data.resolve("holdfast.pid")).strip());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Ends the process as a power cut of the container would: no handler runs. */
  void kill() {
    ProcessHandle process = ProcessHandle.of(pid()).orElseThrow();
    process.destroyForcibly();
    process.onExit().join();
  }

  Path data() {
    return data;
  }

  Ports ports() {
    return ports;
  }

  /** Returns the head files of a volume's replicas, on whichever disks they are. */
  List<Path> heads(String volume) {
    try (Stream<Path> files = Files.walk(data.resolve("disks"))) {
      return files
          .filter(file -> file.getFileName().toString().matches("volume-head-\\d+\\.img"))
          .filter(file -> file.toString().contains("/" + volume + "-r-"))
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Fails unless all replicas of a volume hold the same bytes. */
  void replicasAgree(String volume, int count) throws IOException {
    List<Path> heads = heads(volume);
    assertThat(heads).hasSize(count);
    for (Path head : heads) {
      assertThat(Files.mismatch(heads.get(0), head))
          .as("first byte where %s differs from %s", head, heads.get(0))
          .isEqualTo(-1);
    }
  }

  String log() {
    try {
      return Files.readString(data.resolve("log/holdfast.log"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    Path pidFile = data.resolve("holdfast.pid");
    if (Files.exists(pidFile)) {
      ProcessHandle.of(pid())
          .ifPresent(
              process -> {
                process.destroyForcibly();
                process.onExit().join();
              });
    }
  }
}
