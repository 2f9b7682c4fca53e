package dev.holdfast.engine.lvm.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.certificates.NodeAuthority;
import dev.holdfast.certificates.NodeTls;
import dev.holdfast.certificates.files.TlsDirectory;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.HostProcess;
import dev.holdfast.host.ProgramResult;
import dev.holdfast.lvm.testkit.MemoryRecords;
import dev.holdfast.lvm.testkit.SharedGroupLab;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Two virtual machines with one volume group. In each, a process runs the engine with its portal
 * and its calls. The records are in the process of the test.
 */
final class GuestNodes implements AutoCloseable {
  static final int COUNT = 2;
  private static final int CALL_SECONDS = 200;
  private static final List<String> STATE =
      List.of(
          "dmsetup info -c",
          "dmsetup table",
          "cat /sys/block/nbd0/inflight",
          "cat /run/fio.log",
          "head -n 40 /run/fio.json",
          "ps -eo pid,stat,wchan:30,args | grep -v '\\]$' | cut -c1-200",
          "timeout 100 jstack $(pidof java) | grep -A 40 'main\\|grpc\\|node-rpc' | cut -c1-150",
          "dmesg | grep -v nbd0 | tail -n 20",
          "dmesg | tail -n 20");

  private final String name;
  private final SharedGroupLab lab;
  private final RecordsServer records;
  private final List<GuestProgram> nodes = new ArrayList<>();

  /**
   * Boots the machines and starts the engines.
   *
   * @param name of a folder for certificates
   * @param folder of the disk
   */
  GuestNodes(String name, Path folder) throws Exception {
    this.name = name;
    this.records = new RecordsServer(new MemoryRecords());
    this.lab = SharedGroupLab.boot(folder, "2G");
    lab.createGroup();
    certify();
    for (int node = 1; node <= COUNT; node++) {
      nodes.add(start(node));
    }
  }

  @Override
  public void close() throws IOException, StorageException {
    lab.close();
    records.close();
  }

  /** Cuts the power of a machine. */
  void cutPower(int node) {
    lab.node(node).kill();
  }

  /** Ends the engine of a node cleanly. Returns the exit code of its process. */
  int end(int node) throws Exception {
    return nodes.get(node - 1).end();
  }

  String sh(int node, String text) throws Exception {
    return lab.sh(node, text);
  }

  private Path tls(int node) {
    return Path.of("target", name, "tls-" + node).toAbsolutePath();
  }

  /** Creates a certificate for each node, in a folder that the machines share with this one. */
  private void certify() throws Exception {
    NodeTls unused =
        TlsDirectory.prepare(tls(1), "node-1", List.of(lab.address(1)), Clock.systemUTC());
    NodeAuthority authority = TlsDirectory.authority(tls(1), Clock.systemUTC());
    String request = TlsDirectory.request(tls(2), "node-2", List.of(lab.address(2)));
    TlsDirectory.accept(
        tls(2), authority.certificate(), authority.sign(TlsDirectory.parseRequest(request)));
  }

  private GuestProgram start(int node) throws Exception {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "node-" + node,
                lab.address(node),
                tls(node).toString(),
                Integer.toString(records.port())));
    for (int peer = 1; peer <= COUNT; peer++) {
      arguments.addAll(List.of("node-" + peer, lab.address(peer)));
    }
    GuestProgram program = new GuestProgram(lab.node(node), NodeInGuest.class, arguments);
    assertThat(program.line()).isEqualTo("ready");
    return program;
  }

  String ask(int node, String line) throws Exception {
    CompletableFuture<String> answer =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return nodes.get(node - 1).ask(line);
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
    try {
      return answer.get(CALL_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new AssertionError("no answer to " + line + "\n" + state(1) + state(2), e);
    }
  }

  /** Returns diagnostics for a call that hangs. */
  private String state(int node) throws Exception {
    return lab.sh(node, "echo NODE " + node + "; " + String.join("; ", STATE));
  }

  /** Makes a call on a node and returns its result. */
  String call(int node, String line) throws Exception {
    String answer = ask(node, line);
    assertThat(answer).as("node %s: %s", node, line).startsWith("ok");
    return answer.substring("ok".length()).strip();
  }

  /** Starts verified writes after the first MiB. They continue until the file /run/stop exists. */
  HostProcess fio(int node, String device) throws Exception {
    String command =
        "rm -f /run/stop; exec fio --name=x --filename=%s --ioengine=libaio --direct=1"
            + " --rw=randwrite --bs=4k --iodepth=8 --offset=1M --size=32M --rate_iops=200"
            + " --verify=crc32c --verify_backlog=64 --verify_state_save=0 --time_based"
            + " --runtime=3500 --trigger-file=/run/stop --write_lat_log=/run/fio --output-format=json"
            + " --output=/run/fio.json > /run/fio.log 2>&1";
    return lab.node(node).start(List.of("/bin/bash", "-c", command.formatted(device)));
  }

  /** Waits until a device has completed further writes. A failure shows the state of the node. */
  void awaitWrites(int node, String device) throws Exception {
    ProgramResult result =
        lab.result(
            node,
            "stat=/sys/block/$(basename $(readlink -f "
                + device
                + "))/stat; writes() { local f; read -ra f < $stat; echo ${f[4]}; };"
                + " goal=$(($(writes) + 100)); end=$((SECONDS + 160));"
                + " while [ $(writes) -lt $goal ]; do [ $SECONDS -lt $end ] || exit 1; sleep 0.5;"
                + " done");
    assertThat(result.exitCode())
        .as("writes of node %s%n%s", node, result.exitCode() == 0 ? "" : state(node))
        .isZero();
  }

  void assertVerified(int node, HostProcess writer) throws Exception {
    lab.sh(node, "touch /run/stop");
    assertThat(writer.exit().get()).as("verified writes of node %s", node).isZero();
    assertThat(lab.sh(node, "jq '.jobs[0].error' /run/fio.json")).isEqualTo("0");
  }

  /** Returns the number of writes and verifying reads that a node's writer completed. */
  String completed(int node) throws Exception {
    return lab.sh(
        node,
        "jq -r '.jobs[0] | \"\\(.write.total_ios) writes, \\(.read.total_ios) verified,"
            + " \\(.error) errors\"' /run/fio.json");
  }

  /** Returns the longest times without a completed write of a node's writer, in ms, ascending. */
  List<Long> longestGaps(int node, int count) throws Exception {
    String lines = lab.sh(node, FioLog.longestGaps(count));
    return lines.lines().map(Long::valueOf).toList();
  }

  /** Checks that the only pool is active on this node and on no other host. */
  void assertActiveOn(int node) throws Exception {
    for (int each = 1; each <= COUNT; each++) {
      String pools = lab.sh(each, "dmsetup ls | grep -c tpool || true");
      assertThat(pools).as("active pools of node %s", each).isEqualTo(each == node ? "1" : "0");
    }
  }
}
