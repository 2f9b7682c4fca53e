package dev.holdfast.engine.lvm.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.host.HostProcess;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two nodes with one volume group, from the engine to the locks: real LVM, lvmlockd, sanlock,
 * exports of the portal, calls over mutual TLS and NBD devices of the kernel.
 */
@Tag("slow")
@Tag("soak")
@Timeout(3600)
final class SharedNodesVmTest {
  private static final int MOVES =
      Integer.getInteger("holdfast.moves", Boolean.getBoolean("holdfast.soak") ? 50 : 3);

  @TempDir private Path folder;
  private GuestNodes nodes;

  @BeforeEach
  void boot() throws Exception {
    nodes = new GuestNodes("shared-nodes", folder);
  }

  @AfterEach
  void off() throws Exception {
    nodes.close();
  }

  /** Grows a volume under its writer. The size is in MiB. */
  private void assertGrows(int node, String volume, String device, long size) throws Exception {
    nodes.call(node, "grow " + volume + " " + size);
    assertThat(nodes.sh(node, "blockdev --getsize64 " + device))
        .as("size of %s on node %s", volume, node)
        .isEqualTo(Long.toString(size << 20));
  }

  /** Prints figures for docs/results. No check depends on them. */
  private static void print(String what, Object figures) {
    System.out.println(what + ": " + figures);
  }

  @Test
  void volumesOfOnePoolAreUsedOnBothNodesWhileThePoolMoves() throws Exception {
    for (int node = 1; node <= GuestNodes.COUNT; node++) {
      assertThat(nodes.call(node, "prepare")).isEqualTo("shared");
    }
    nodes.call(1, "provision vol 64");
    String first = nodes.call(1, "open vol 64");
    nodes.sh(1, "echo from-node-1 | dd of=" + first + " conv=fsync status=none");
    nodes.call(1, "snapshot vol s1");
    nodes.call(1, "clone copy vol s1 64");
    assertThat(nodes.ask(2, "open vol 64")).contains("is in use on node node-1");
    String second = nodes.call(2, "open copy 64");
    assertThat(nodes.sh(2, "head -c 11 " + second)).isEqualTo("from-node-1");
    assertThat(nodes.sh(2, "cat /sys/block/nbd*/backend")).contains("holdfast-lvm:");
    nodes.assertActiveOn(1);

    HostProcess near = nodes.fio(1, first);
    HostProcess far = nodes.fio(2, second);
    nodes.awaitWrites(1, first);
    nodes.awaitWrites(2, second);
    List<Long> moves = new ArrayList<>();
    for (int move = 1; move <= MOVES; move++) {
      int to = move % GuestNodes.COUNT + 1;
      long began = System.nanoTime();
      nodes.call(1, "move vol node-" + to);
      moves.add(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began));
      print("move " + move + ", ms", moves.get(move - 1));
      nodes.assertActiveOn(to);
      if (move == 1) { // the volume of node 1 grows through its link to node 2
        assertGrows(1, "vol", first, 96);
        assertGrows(2, "copy", second, 96);
      }
      nodes.awaitWrites(1, first);
      nodes.awaitWrites(2, second);
    }
    nodes.call(1, "move vol node-1");
    assertGrows(1, "vol", first, 128);
    nodes.awaitWrites(1, first);
    nodes.assertVerified(1, near);
    nodes.assertVerified(2, far);
    print("moves, ms, ascending", moves.stream().sorted().toList());
    for (int node = 1; node <= GuestNodes.COUNT; node++) {
      print("node " + node, nodes.completed(node));
      print("longest times without a completed write, ms", nodes.longestGaps(node, MOVES + 1));
    }

    nodes.call(1, "close vol");
    nodes.assertActiveOn(2);
    nodes.call(2, "close copy");
    nodes.call(2, "delete copy");
    String moved = nodes.call(2, "open vol 128");
    assertThat(nodes.sh(2, "head -c 11 " + moved)).isEqualTo("from-node-1");
    nodes.call(2, "close vol");
    nodes.call(2, "delete vol");
    for (int node = 1; node <= GuestNodes.COUNT; node++) {
      assertThat(nodes.end(node)).isZero();
      assertThat(nodes.sh(node, "lvs --noheadings vg0; dmsetup ls | grep hf || true")).isEmpty();
    }
  }

  /** The lock of the node expires 76 s after its last renewal, with the time limit of the test. */
  @Test
  void requestsWaitForTheLockOfANodeWithoutPowerAndContinueWithoutAPerson() throws Exception {
    for (int node = 1; node <= GuestNodes.COUNT; node++) {
      assertThat(nodes.call(node, "prepare")).isEqualTo("shared");
    }
    nodes.call(1, "provision vol 64");
    String first = nodes.call(1, "open vol 64");
    nodes.call(1, "snapshot vol s1");
    nodes.call(1, "clone copy vol s1 64");
    String second = nodes.call(2, "open copy 64");
    nodes.assertActiveOn(1);
    nodes.sh(1, "echo kept | dd of=" + first + " conv=fsync status=none");
    HostProcess writer = nodes.fio(2, second);
    nodes.awaitWrites(2, second);
    assertThat(nodes.call(2, "pass copy")).isEmpty();

    nodes.cutPower(1);
    assertThat(nodes.call(2, "wait copy"))
        .startsWith("PoolLocked node node-1 has pool vg0/hfp-vol-1")
        .contains("does not answer: it is locked by host", "free at ");
    assertThat(nodes.call(2, "pass copy")).isEmpty();
    nodes.awaitWrites(2, second);
    nodes.assertVerified(2, writer);
    assertThat(nodes.sh(2, "dmsetup ls | grep -c tpool")).isEqualTo("1");
    String moved = nodes.call(2, "open vol 64");
    assertThat(nodes.sh(2, "head -c 4 " + moved)).as("flushed before the cut").isEqualTo("kept");
    nodes.call(2, "close vol");
    nodes.call(2, "close copy");
    assertThat(nodes.end(2)).isZero();
  }
}
