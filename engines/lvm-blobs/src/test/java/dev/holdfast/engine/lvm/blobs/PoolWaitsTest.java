package dev.holdfast.engine.lvm.blobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.engine.lvm.blobs.waits.PoolWait;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.lvm.testkit.SimulatedLvm;
import dev.holdfast.vm.testkit.RecordingHost;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Reports of the nodes of a shared group about requests that wait. */
class PoolWaitsTest {
  private static final String ONE = "node-1";
  private static final String TWO = "node-2";
  private static final Blob A = new Blob(SimulatedLvm.GROUP, "a");
  private static final Blob B = new Blob(SimulatedLvm.GROUP, "b");
  private static final Blob FILLER = new Blob(SimulatedLvm.GROUP, "filler");
  private static final long MIB = 1L << 20;

  /** More than one look makes. */
  private static final int ROUNDS = 100;

  private static final long SIZE = 64 * MIB;

  private final SimulatedCluster cluster = new SimulatedCluster(ONE, TWO);

  /** The pool is active on the first node, and the second one uses it too. */
  @BeforeEach
  void attachOnBoth() throws Exception {
    cluster.on(ONE).createEmpty(A, BlobOptions.THIN, SIZE);
    var unused = cluster.on(ONE).attach(A, "c");
    unused = cluster.on(TWO).attach(A, "c");
  }

  private List<PoolWait> waits(String node) throws Exception {
    return cluster.on(node).waits(SimulatedLvm.GROUP);
  }

  private PoolWait onlyWait(String node) throws Exception {
    assertThat(waits(node)).hasSize(1);
    PoolWait wait = waits(node).get(0);
    assertThat(wait.pool()).isEqualTo("hfp-a");
    assertThat(wait.blobs()).contains(A.name());
    return wait;
  }

  private void assertNothingWaits() throws Exception {
    assertThat(waits(ONE)).isEmpty();
    assertThat(waits(TWO)).isEmpty();
  }

  @Test
  void holderOfTheLockIsNamedUntilItExpires() throws Exception {
    assertNothingWaits();
    cluster.switchOff(ONE);
    PoolWait wait = onlyWait(TWO);
    assertThat(wait.cause()).isEqualTo(PoolWait.Cause.LOCKED);
    assertThat(wait.message())
        .startsWith("node node-1 has pool vg0/hfp-a and does not answer: it is locked by host")
        .contains("lease renewed at 2026-01-01T00:00:00Z, free at 2026-01-01T00:01:22Z")
        .endsWith("start that node again, or drain it, or power it off");
    cluster.group.expire(cluster.hosts.get(ONE));
    assertThat(onlyWait(TWO).message()).contains("its lock is free, and another node takes");
    cluster.on(TWO).keepLinks(SimulatedLvm.GROUP);
    assertThat(waits(TWO)).isEmpty();
  }

  /** The device mapper waits for requests whose connection is lost again before it is done. */
  @Test
  void requestsWaitUntilTheirDeviceIsPointedAtTheActivatedPool() throws Exception {
    cluster.switchOff(ONE);
    cluster.group.expire(cluster.hosts.get(ONE));
    for (int n = 0; n < ROUNDS; n++) {
      cluster
          .commands
          .get(TWO)
          .fail(
              command -> command.contains("suspend"),
              RecordingHost.Moment.BEFORE,
              new StorageException(ErrorCode.TIMEOUT, "dmsetup did not end"));
    }
    assertThatThrownBy(() -> cluster.on(TWO).keepLinks(SimulatedLvm.GROUP))
        .hasMessage("dmsetup did not end");
    PoolWait wait = onlyWait(TWO);
    assertThat(wait.cause()).isEqualTo(PoolWait.Cause.MOVING);
    assertThat(wait.message())
        .isEqualTo(
            "pool vg0/hfp-a is active on this node, and the requests that waited are sent to it");
    cluster.commands.get(TWO).restart();
    cluster.on(TWO).keepLinks(SimulatedLvm.GROUP);
    assertThat(waits(TWO)).isEmpty();
    cluster.assertSettled();
  }

  /** Only calls are lost: requests pass, so nothing is told. */
  @Test
  void silentNodeWhoseExportServesIsNotReported() throws Exception {
    cluster.silent.add(ONE);
    assertThat(waits(TWO)).isEmpty();
  }

  @Test
  void moveIsToldWithTheNodesThatItWaitsFor() throws Exception {
    PoolRecords records = new PoolRecords(cluster.records, cluster.on(ONE).group("vg0").uuid());
    PoolRecords.Version version = records.read("a").orElseThrow();
    version = records.replace(version, version.pool().at(version.pool().place().holding(TWO)));
    for (String node : List.of(ONE, TWO)) {
      assertThat(onlyWait(node).cause()).isEqualTo(PoolWait.Cause.MOVING);
      assertThat(onlyWait(node).message())
          .isEqualTo(
              "pool vg0/hfp-a moves from node node-1 to node node-2, and waits for node node-1 and"
                  + " node node-2 to release it");
    }
    PoolRecords.Version unused =
        records.replace(version, version.pool().at(version.pool().place().moving(TWO)));
    assertThat(onlyWait(ONE).message())
        .startsWith("pool vg0/hfp-a moves to node node-2, which activates it; it is locked by");
  }

  @Test
  void fullPoolIsToldOnAllNodesUntilTheGroupHasRoom() throws Exception {
    cluster.on(ONE).createCopy(B, A);
    SimulatedLvm host = cluster.hosts.get(ONE);
    long rest = cluster.on(ONE).group("vg0").freeBytes();
    cluster
        .on(ONE)
        .createEmpty(FILLER, new BlobOptions(BlobMode.LINEAR, BlobWipe.UNSAFE_FAST), rest);
    host.fill("hfp-a", SIZE, MIB);
    cluster.on(ONE).keepSpace("vg0");
    for (String node : List.of(ONE, TWO)) {
      assertThat(onlyWait(node).cause()).isEqualTo(PoolWait.Cause.FULL);
      assertThat(onlyWait(node).message())
          .startsWith("pool vg0/hfp-a is full, and volume group vg0 has no room")
          .endsWith("vgextend vg0 DISK");
    }
    cluster.on(ONE).delete(FILLER);
    cluster.on(ONE).keepSpace("vg0");
    assertNothingWaits();
    cluster.assertSettled();
    cluster.assertNothingLeftOver();
  }

  @Test
  void restartedNodeWithdrawsWhatItToldBefore() throws Exception {
    cluster.on(ONE).createCopy(B, A);
    long metadata = cluster.hosts.get(ONE).metadata("hfp-a");
    cluster.hosts.get(ONE).fill("hfp-a", MIB, metadata);
    cluster.on(ONE).keepSpace("vg0");
    assertThat(onlyWait(TWO).cause()).isEqualTo(PoolWait.Cause.DAMAGED);
    assertThat(onlyWait(TWO).message()).endsWith("lvconvert --repair vg0/hfp-a");
    cluster.hosts.get(ONE).fill("hfp-a", MIB, MIB);
    SharedBlobManager restarted = cluster.start(ONE);
    var unused = restarted.keepSpace("vg0");
    assertNothingWaits();
  }
}
