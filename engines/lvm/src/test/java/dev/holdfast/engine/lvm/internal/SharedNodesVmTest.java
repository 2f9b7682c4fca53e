package dev.holdfast.engine.lvm.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.certificates.NodeAuthority;
import dev.holdfast.certificates.NodeTls;
import dev.holdfast.certificates.files.TlsDirectory;
import dev.holdfast.host.HostProcess;
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
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two nodes with one volume group, from the engine to the locks: real LVM, lvmlockd, sanlock,
 * exports of the portal, calls over mutual TLS and NBD devices of the kernel. The nodes are virtual
 * machines; their records are in the process of the test.
 */
@Tag("slow")
@Tag("soak")
@Timeout(1200)
final class SharedNodesVmTest {
  private static final int NODES = 2;
  private static final int CALL_SECONDS = 200;

  /** Moves of the pool under I/O; 50 in the long form. */
  private static final int MOVES = Integer.getInteger("holdfast.lvm.moves", 3);

  @TempDir private static Path folder;
  private static SharedGroupLab lab;
  private static RecordsServer records;
  private static final List<GuestProgram> nodes = new ArrayList<>();

  @BeforeAll
  static void setUp() throws Exception {
    records = new RecordsServer(new MemoryRecords());
    lab = SharedGroupLab.boot(folder, "2G");
    lab.createGroup();
    certify();
    for (int node = 1; node <= NODES; node++) {
      nodes.add(start(node));
    }
  }

  @AfterAll
  static void off() throws Exception {
    lab.close();
    records.close();
  }

  private static Path tls(int node) {
    return Path.of("target", "shared-nodes", "tls-" + node).toAbsolutePath();
  }

  /** Makes a certificate of each node, which the machines see as files of this one. */
  private static void certify() throws Exception {
    NodeTls unused =
        TlsDirectory.prepare(tls(1), "node-1", List.of(lab.address(1)), Clock.systemUTC());
    NodeAuthority authority = TlsDirectory.authority(tls(1), Clock.systemUTC());
    String request = TlsDirectory.request(tls(2), "node-2", List.of(lab.address(2)));
    TlsDirectory.accept(
        tls(2), authority.certificate(), authority.sign(TlsDirectory.parseRequest(request)));
  }

  private static GuestProgram start(int node) throws Exception {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "node-" + node,
                lab.address(node),
                tls(node).toString(),
                Integer.toString(records.port())));
    for (int peer = 1; peer <= NODES; peer++) {
      arguments.addAll(List.of("node-" + peer, lab.address(peer)));
    }
    GuestProgram program = new GuestProgram(lab.node(node), NodeInGuest.class, arguments);
    assertThat(program.line()).isEqualTo("ready");
    return program;
  }

  private static String ask(int node, String line) throws Exception {
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

  /** Returns what a person would look at first when a call hangs. */
  private static String state(int node) throws Exception {
    return lab.sh(
        node,
        "echo NODE "
            + node
            + "; dmsetup info -c; dmsetup table; ps -eo pid,stat,wchan:30,args | grep -v '\\]$' |"
            + " cut -c1-200; timeout 100 jstack $(pidof java) | grep -A 40 'main\\|grpc\\|node-rpc'"
            + " | cut -c1-150; dmesg | tail -n 20");
  }

  /** Makes a call on a node and returns its result. */
  private static String call(int node, String line) throws Exception {
    String answer = ask(node, line);
    assertThat(answer).as("node %s: %s", node, line).startsWith("ok");
    return answer.substring("ok".length()).strip();
  }

  /** Starts verified writes beside the first MiB, until the file /run/stop is made. */
  private static HostProcess fio(int node, String device) throws Exception {
    String command =
        "rm -f /run/stop; exec fio --name=x --filename=%s --ioengine=libaio --direct=1"
            + " --rw=randwrite --bs=4k --iodepth=8 --offset=1M --size=32M --rate_iops=200"
            + " --verify=crc32c --verify_backlog=64 --verify_state_save=0 --time_based"
            + " --runtime=1100 --trigger-file=/run/stop --output-format=json"
            + " --output=/run/fio.json";
    return lab.node(node).start(List.of("/bin/bash", "-c", command.formatted(device)));
  }

  /** Waits until a device has completed further writes. */
  private static void awaitWrites(int node, String device) throws Exception {
    lab.sh(
        node,
        "stat=/sys/block/$(basename $(readlink -f "
            + device
            + "))/stat; writes() { awk '{print $5}' $stat; }; goal=$(($(writes) + 100));"
            + " for i in $(seq 600); do [ $(writes) -lt $goal ] || exit 0; sleep 0.1; done; exit 1");
  }

  private static void assertVerified(int node, HostProcess writer) throws Exception {
    lab.sh(node, "touch /run/stop");
    assertThat(writer.exit().get()).as("verified writes of node %s", node).isZero();
    assertThat(lab.sh(node, "jq '.jobs[0].error' /run/fio.json")).isEqualTo("0");
  }

  /** Checks on both hosts where the only pool is active, and that no other host has it. */
  private static void assertActiveOn(int node) throws Exception {
    for (int each = 1; each <= NODES; each++) {
      String pools = lab.sh(each, "dmsetup ls | grep -c tpool || true");
      assertThat(pools).as("active pools of node %s", each).isEqualTo(each == node ? "1" : "0");
    }
  }

  /** Makes a volume larger below its writer, in MiB. */
  private static void assertGrows(int node, String volume, String device, long size)
      throws Exception {
    call(node, "grow " + volume + " " + size);
    assertThat(lab.sh(node, "blockdev --getsize64 " + device))
        .as("size of %s on node %s", volume, node)
        .isEqualTo(Long.toString(size << 20));
  }

  @Test
  void volumesOfOnePoolAreUsedOnBothNodesWhileThePoolMoves() throws Exception {
    for (int node = 1; node <= NODES; node++) {
      assertThat(call(node, "prepare")).isEqualTo("shared");
    }
    call(1, "provision vol 64");
    String first = call(1, "open vol 64");
    lab.sh(1, "echo from-node-1 | dd of=" + first + " conv=fsync status=none");
    call(1, "snapshot vol s1");
    call(1, "clone copy vol s1 64");
    assertThat(ask(2, "open vol 64")).contains("is in use on node node-1");
    String second = call(2, "open copy 64");
    assertThat(lab.sh(2, "head -c 11 " + second)).isEqualTo("from-node-1");
    assertThat(lab.sh(2, "cat /sys/block/nbd*/backend")).contains("holdfast-lvm:");
    assertActiveOn(1);

    HostProcess near = fio(1, first);
    HostProcess far = fio(2, second);
    awaitWrites(1, first);
    awaitWrites(2, second);
    for (int move = 1; move <= MOVES; move++) {
      int to = move % NODES + 1;
      call(1, "move vol node-" + to);
      assertActiveOn(to);
      if (move == 1) { // the volume of node 1 grows through its link to node 2
        assertGrows(1, "vol", first, 96);
        assertGrows(2, "copy", second, 96);
      }
      awaitWrites(1, first);
      awaitWrites(2, second);
    }
    call(1, "move vol node-1");
    assertGrows(1, "vol", first, 128);
    awaitWrites(1, first);
    assertVerified(1, near);
    assertVerified(2, far);

    call(1, "close vol");
    assertActiveOn(2);
    call(2, "close copy");
    call(2, "delete copy");
    String moved = call(2, "open vol 128");
    assertThat(lab.sh(2, "head -c 11 " + moved)).isEqualTo("from-node-1");
    call(2, "close vol");
    call(2, "delete vol");
    for (int node = 1; node <= NODES; node++) {
      assertThat(nodes.get(node - 1).end()).isZero();
      assertThat(lab.sh(node, "lvs --noheadings vg0; dmsetup ls | grep hf || true")).isEmpty();
    }
  }
}
