package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A VM whose kernel has a volume of a node of this host as a device, with a filesystem under
 * verified I/O. The host acts in between; in the end the VM checks the content, the filesystem and
 * what its kernel logged.
 */
final class KernelClient {
  /** Address of this machine in the network of the VM. */
  private static final String HOST = "10.0.2.2";

  private static final int SECTOR = 512;
  private static final Duration START = Duration.ofMinutes(5);
  private static final Duration END = Duration.ofMinutes(5);
  private static final Duration ROUND = Duration.ofMinutes(5);
  private static final Pattern JUDGEMENT = Pattern.compile("rounds \\d+, reconnections (\\d+)");

  private final Path shared;
  private final Path log;
  private final RunningNode node;
  private final Path program;
  private final List<String> options;
  private final List<String> arguments;
  private Process guest;

  /** Something that the host does while the VM reads and writes. */
  @FunctionalInterface
  interface Act {
    void run() throws Exception;
  }

  /** The actions of the host. */
  @FunctionalInterface
  interface Scenario {
    void play(KernelClient client) throws Exception;
  }

  /** The kernel's NBD client, with several connections. */
  KernelClient(Path folder, RunningNode node, String export, int connections) throws IOException {
    this(
        folder,
        node,
        Path.of("kernel-nbd"),
        List.of("scenario", "nbd-netlink"),
        List.of("-M", "nbd"),
        List.of(String.valueOf(node.ports().nbd()), export, String.valueOf(connections)));
  }

  /** The kernel's iSCSI initiator, on a target. */
  static KernelClient iscsi(Path folder, RunningNode node, String target) throws IOException {
    return new KernelClient(
        folder,
        node,
        Path.of("kernel-initiators"),
        List.of("iscsi", "judged"),
        List.of("-M", "iscsi_tcp sd_mod ext4"),
        List.of(String.valueOf(node.ports().iscsi()), target));
  }

  /** The same by two portals, with multipathd above both. */
  static KernelClient iscsiByTwo(
      Path folder, RunningNode node, String target, int portal, int other) throws IOException {
    return new KernelClient(
        folder,
        node,
        Path.of("kernel-initiators"),
        List.of("iscsi-multipath", "judged"),
        List.of("-u", "-M", "iscsi_tcp sd_mod dm-multipath dm-round-robin ext4"),
        List.of(String.valueOf(portal), target, String.valueOf(other)));
  }

  /** The kernel's NVMe/TCP host, on a subsystem. */
  static KernelClient nvmeof(Path folder, RunningNode node, String subsystem) throws IOException {
    return new KernelClient(
        folder,
        node,
        Path.of("kernel-initiators"),
        List.of("nvmeof", "judged"),
        List.of("-q", "-M", "nvme-tcp ext4"),
        List.of(String.valueOf(node.ports().nvmeof()), subsystem));
  }

  /** Two initiators of one kernel on a target, each with a name of its own. */
  static KernelClient iscsiPair(Path folder, RunningNode node, String target) throws IOException {
    return new KernelClient(
        folder,
        node,
        Path.of("kernel-initiators"),
        List.of("iscsi-pair", "fencing"),
        List.of("-M", "iscsi_tcp sd_mod"),
        List.of(String.valueOf(node.ports().iscsi()), target));
  }

  /** Two hosts of one kernel on a subsystem, each with a name of its own. */
  static KernelClient nvmeofPair(Path folder, RunningNode node, String subsystem)
      throws IOException {
    return new KernelClient(
        folder,
        node,
        Path.of("kernel-initiators"),
        List.of("nvmeof-pair", "fencing"),
        List.of("-q"),
        List.of(String.valueOf(node.ports().nvmeof()), subsystem));
  }

  private KernelClient(
      Path folder,
      RunningNode node,
      Path programs,
      List<String> files,
      List<String> options,
      List<String> arguments)
      throws IOException {
    this.shared = Files.createDirectory(folder.resolve("shared"));
    this.log = folder.resolve("vm.log");
    this.node = node;
    this.program = shared.resolve(files.get(0));
    this.options = options;
    this.arguments = arguments;
    Path from = Path.of("src/test/resources").resolve(programs).toAbsolutePath();
    for (String file : files) {
      Path copy = Files.copy(from.resolve(file), shared.resolve(file));
      assertThat(copy.toFile().setExecutable(true)).isTrue();
    }
    Path content = Files.createDirectory(shared.resolve("content"));
    for (int i = 0; i < 64; i++) {
      Files.writeString(
          content.resolve("file-" + i), ("line of file " + i + "\n").repeat(1 + 97 * i));
    }
  }

  /**
   * Plays a scenario, again and again for a time but once at least, and has the VM judge it.
   *
   * @return how many broken connections were replaced
   */
  long during(Duration time, Scenario scenario) throws Exception {
    guest = start();
    try {
      long start = System.nanoTime();
      do {
        scenario.play(this);
      } while (System.nanoTime() - start < time.toNanos());
      return judgement();
    } finally {
      end();
    }
  }

  /** The node whose export the kernel has. */
  RunningNode node() {
    return node;
  }

  /** Does something, and waits for a whole round of verified I/O that began after it. */
  void act(Act act) throws Exception {
    act.run();
    long before = rounds();
    // The round that is under way may have begun before; the one after it has not.
    await("two rounds of verified I/O", ROUND, () -> rounds() >= before + 2);
  }

  /** Waits until the device and its filesystem are as large as the volume has become. */
  void grown(long bytes) throws Exception {
    sendCommand("grow", String.valueOf(bytes / SECTOR));
  }

  /** Has one of two initiators fence the other off, and waits until it is. */
  void fenced() throws Exception {
    sendCommand("fence", "");
  }

  /** Sends a command to the VM in a file, which the VM removes after executing it. */
  private void sendCommand(String what, String how) throws Exception {
    Path file = shared.resolve(what);
    Files.move(Files.writeString(shared.resolve(what + ".new"), how + "\n"), file);
    await(what, ROUND, () -> !Files.exists(file));
  }

  private Process start() throws Exception {
    Path vm = Path.of(System.getProperty("holdfast.tree"), "libexec", "vm").normalize();
    String seconds = String.valueOf(Duration.ofMinutes(60).toSeconds());
    List<String> command = new ArrayList<>(List.of(vm.toString(), "-t", seconds));
    command.addAll(options);
    command.addAll(
        List.of("-s", shared.toString(), "--", program.toString(), shared.toString(), HOST));
    command.addAll(arguments);
    Process started =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    started.getOutputStream().close();
    guest = started;
    await("the device is in use", START, () -> Files.exists(shared.resolve("mounted")));
    return started;
  }

  /** Waits until the VM uses so many paths. */
  void awaitPaths(int count) throws Exception {
    await(count + " paths", ROUND, () -> number("paths") == count);
  }

  private long rounds() throws IOException {
    return number("rounds");
  }

  /** Returns how many connections had broken when the last round ended, as far as it is counted. */
  long broken() throws IOException {
    return number("broken");
  }

  private long number(String name) throws IOException {
    Path file = shared.resolve(name);
    String text = Files.exists(file) ? Files.readString(file).strip() : "";
    return text.isEmpty() ? 0 : Long.parseLong(text);
  }

  private long judgement() throws Exception {
    Files.createFile(shared.resolve("finish"));
    assertThat(guest.waitFor(END.toSeconds(), TimeUnit.SECONDS)).as(said()).isTrue();
    assertThat(guest.exitValue()).as(said()).isZero();
    Matcher judgement = JUDGEMENT.matcher(said());
    assertThat(judgement.find()).as(said()).isTrue();
    return Long.parseLong(judgement.group(1));
  }

  private void await(String what, Duration limit, Callable<Boolean> there) throws Exception {
    try {
      Await.until(what, limit, () -> there.call() || !guest.isAlive());
    } catch (AssertionError e) {
      printState();
      throw new AssertionError(e.getMessage() + ": " + evidence(), e);
    }
    assertThat(there.call()).as("%s: %s", what, said()).isTrue();
  }

  /** Returns what distinguishes a node that does not answer from a VM that does not ask. */
  private String evidence() throws IOException {
    Command.Result volumes = node.run("volume", "list");
    return "%d rounds, %d broken connections, VM runs: %s; volumes: %s%s; VM: %s"
        .formatted(rounds(), broken(), guest.isAlive(), volumes.out(), volumes.err(), said());
  }

  private void printState() throws IOException {
    String process = String.valueOf(node.pid());
    System.out.println(Command.of("jcmd", process, "Thread.print", "-l").run().out());
    System.out.println(Command.of("ss", "-tnoi", "state", "connected").run().out());
    System.out.println(node.log());
  }

  /** Returns what the VM has printed. */
  String said() throws IOException {
    return Files.readString(log);
  }

  private void end() throws InterruptedException {
    guest.descendants().forEach(ProcessHandle::destroy);
    guest.destroy();
    guest.waitFor();
  }
}
