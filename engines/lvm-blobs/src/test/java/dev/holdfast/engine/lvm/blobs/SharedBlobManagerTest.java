package dev.holdfast.engine.lvm.blobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.block.ExtentKind;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.lvm.testkit.SimulatedLvm;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class SharedBlobManagerTest {
  private static final String ONE = "node-1";
  private static final String TWO = "node-2";
  private static final String THREE = "node-3";
  private static final Blob A = new Blob(SimulatedLvm.GROUP, "a");
  private static final Blob B = new Blob(SimulatedLvm.GROUP, "b");
  private static final long SIZE = 64L << 20;

  private final SimulatedCluster cluster = new SimulatedCluster(ONE, TWO, THREE);

  private void thin() throws StorageException {
    cluster.on(ONE).createEmpty(A, BlobOptions.THIN, SIZE);
  }

  private void attachedOnBoth() throws Exception {
    thin();
    var unused = cluster.on(ONE).attach(A, "c");
    unused = cluster.on(TWO).attach(A, "c");
  }

  private static void assertFails(ErrorCode code, String message, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).as(e.getMessage()).isEqualTo(code))
        .hasMessageContaining(message);
  }

  @Test
  void createdBlobIsActiveNowhere() throws Exception {
    thin();
    cluster.assertSettled();
    assertThat(cluster.pool("a").place().phase()).isEqualTo(PoolPlace.Phase.IDLE);
    assertThat(cluster.group.activeOn("hfp-a")).isZero();
    assertThat(cluster.on(TWO).size(A)).isEqualTo(SIZE);
    cluster.assertNothingLeftOver();
  }

  @Test
  void firstUserHasThePoolAndOthersReachItByItsExport() throws Exception {
    attachedOnBoth();
    cluster.assertSettled();
    assertThat(cluster.pool("a").place().activeOn()).isEqualTo(ONE);
    cluster.write(ONE, A, 1);
    assertThat(cluster.read(TWO, A)).isEqualTo(1);
    cluster.write(TWO, A, 2);
    assertThat(cluster.read(ONE, A)).isEqualTo(2);
    cluster.assertNothingLeftOver();
  }

  @Test
  void poolMovesWhileTwoNodesUseIt() throws Exception {
    attachedOnBoth();
    cluster.write(ONE, A, 1);
    cluster.on(ONE).optimize(A, TWO);
    cluster.assertSettled();
    assertThat(cluster.pool("a").place().activeOn()).isEqualTo(TWO);
    assertThat(cluster.read(ONE, A)).isEqualTo(1);
    assertThat(cluster.read(TWO, A)).isEqualTo(1);
    cluster.on(THREE).optimize(A, ONE);
    cluster.assertSettled();
    assertThat(cluster.pool("a").place().activeOn()).isEqualTo(ONE);
    cluster.assertNothingLeftOver();
  }

  @Test
  void blobStaysADeviceWhileOneCookieIsLeft() throws Exception {
    attachedOnBoth();
    var unused = cluster.on(TWO).attach(A, "d");
    cluster.on(TWO).detach(A, "c");
    cluster.assertSettled();
    cluster.write(TWO, A, 3);
    cluster.on(TWO).detach(A, "unknown");
    cluster.on(TWO).detach(A, "d");
    cluster.assertSettled();
    assertThat(cluster.hosts.get(ONE).links().exports()).isEmpty();
    assertThat(cluster.read(ONE, A)).isEqualTo(3);
  }

  @Test
  void poolGoesToItsUsersWhenTheActiveNodeLeaves() throws Exception {
    attachedOnBoth();
    cluster.write(ONE, A, 4);
    cluster.on(ONE).detach(A, "c");
    cluster.assertSettled();
    assertThat(cluster.pool("a").place().activeOn()).isEqualTo(TWO);
    assertThat(cluster.read(TWO, A)).isEqualTo(4);
  }

  /** A suspension of the device for hosts waits for requests that wait in the device below it. */
  @Test
  void deviceOfHostsGrowsAfterTheRequestsBelowItPass() throws Exception {
    attachedOnBoth();
    for (String node : new String[] {ONE, TWO}) {
      var unused = new HostDevices(cluster.hosts.get(node)).show(A);
    }
    cluster.on(TWO).extend(A, 2 * SIZE);
    for (String node : new String[] {ONE, TWO}) {
      assertThat(cluster.hosts.get(node).mapper.table("hf-vg0-a"))
          .as("device of hosts on " + node)
          .startsWith("0 " + 2 * SIZE / 512 + " linear ");
      assertThat(cluster.hosts.get(node).mapper.isSuspended("hf-vg0-a")).isFalse();
      assertThat(cluster.hosts.get(node).mapper.isSuspended("hf-vg0-a-m")).isFalse();
    }
  }

  @Test
  void callsAreMadeWhereThePoolIsActive() throws Exception {
    attachedOnBoth();
    cluster.write(ONE, A, 5);
    cluster.on(THREE).createCopy(B, A);
    cluster.write(ONE, A, 6);
    cluster.on(TWO).extend(A, 2 * SIZE);
    cluster.assertSettled();
    assertThat(cluster.on(THREE).size(A)).isEqualTo(2 * SIZE);
    for (String node : new String[] {ONE, TWO}) {
      assertThat(cluster.hosts.get(node).mapper.table("hf-vg0-a-m"))
          .as("device of " + node)
          .startsWith("0 " + 2 * SIZE / 512 + " linear ");
    }
    cluster.on(THREE).attach(B, TWO, "reader");
    assertThat(cluster.read(TWO, B)).isEqualTo(5);
    assertThat(cluster.read(TWO, A)).isEqualTo(6);
    cluster.on(ONE).detach(B, TWO, "reader");
    cluster.on(TWO).delete(B);
    cluster.assertSettled();
    cluster.assertNothingLeftOver();
  }

  @Test
  void comparisonMovesThePoolToTheNodeThatCompares() throws Exception {
    attachedOnBoth();
    cluster.on(ONE).createCopy(B, A);
    cluster.write(ONE, A, 7);
    long[] different = {0};
    cluster
        .on(TWO)
        .changes(
            Optional.of(B),
            A,
            (from, length, kind) -> {
              different[0] += kind == ExtentKind.DATA ? length : 0;
              return true;
            });
    assertThat(different[0]).isEqualTo(64 << 10);
    cluster.assertSettled();
  }

  @Test
  void deletionNamesTheNodesThatHaveItAttached() throws Exception {
    attachedOnBoth();
    assertFails(ErrorCode.BUSY, "c on node node-2", () -> cluster.on(THREE).delete(A));
  }

  @Test
  void linearBlobIsActiveOnEachNodeThatUsesIt() throws Exception {
    cluster.on(ONE).createEmpty(A, BlobOptions.LINEAR, SIZE);
    var unused = cluster.on(ONE).attach(A, "c");
    unused = cluster.on(TWO).attach(A, "c");
    cluster.assertSettled();
    cluster.write(TWO, A, 8);
    assertThat(cluster.read(ONE, A)).isEqualTo(8);
    assertFails(ErrorCode.UNSUPPORTED, "node-1, node-2", () -> cluster.on(ONE).extend(A, 2 * SIZE));
    cluster.on(ONE).detach(A, "c");
    cluster.on(TWO).detach(A, "c");
    cluster.on(TWO).extend(A, 2 * SIZE);
    cluster.assertSettled();
    cluster.assertNothingLeftOver();
  }

  @Test
  void restartedExporterServesItsClientsAgain() throws Exception {
    attachedOnBoth();
    cluster.write(TWO, A, 1);
    long before = cluster.pool("a").place().generation();
    cluster.restart(ONE);
    cluster.on(TWO).keepLinks(SimulatedLvm.GROUP);
    cluster.assertSettled();
    assertThat(cluster.pool("a").place().generation()).isEqualTo(before + 1);
    assertThat(cluster.read(TWO, A)).isEqualTo(1);
  }

  @Test
  void restartedUserConnectsItsDevicesInTheNextGeneration() throws Exception {
    attachedOnBoth();
    var unused = cluster.on(THREE).attach(A, "c");
    cluster.write(TWO, A, 1);
    long before = cluster.pool("a").place().generation();
    cluster.restart(TWO);
    cluster.on(THREE).keepLinks(SimulatedLvm.GROUP);
    cluster.assertSettled();
    assertThat(cluster.pool("a").place().generation()).isEqualTo(before + 1);
    assertThat(cluster.read(TWO, A)).isEqualTo(1);
    assertThat(cluster.read(THREE, A)).isEqualTo(1);
    cluster.assertNothingLeftOver();
  }

  @Test
  void lostConnectionIsReplacedWhileBothProcessesLive() throws Exception {
    attachedOnBoth();
    cluster.write(ONE, A, 1);
    cluster.on(TWO).keepLinks(SimulatedLvm.GROUP);
    long before = cluster.pool("a").place().generation();
    cluster.on(TWO).keepLinks(SimulatedLvm.GROUP);
    assertThat(cluster.pool("a").place().generation()).isEqualTo(before);
    cluster.loseConnection(TWO, A);
    cluster.on(TWO).keepLinks(SimulatedLvm.GROUP);
    cluster.assertSettled();
    assertThat(cluster.pool("a").place().generation()).isEqualTo(before + 1);
    assertThat(cluster.read(TWO, A)).isEqualTo(1);
  }

  @Test
  void secondAttachLeavesConnectedDevicesAsTheyAre() throws Exception {
    attachedOnBoth();
    cluster.on(ONE).createCopy(B, A);
    long before = cluster.pool("a").place().generation();
    var unused = cluster.on(TWO).attach(B, "reader");
    cluster.assertSettled();
    assertThat(cluster.pool("a").place().generation()).isEqualTo(before);
    cluster.on(TWO).detach(B, "reader");
    unused = cluster.on(TWO).attach(B, "reader");
    cluster.assertSettled();
    assertThat(cluster.pool("a").place().generation()).isEqualTo(before);
    cluster.on(TWO).detach(B, "reader");
    cluster.assertNothingLeftOver();
  }

  @Test
  void restartedUserReleasesItsDevicesForAMove() throws Exception {
    attachedOnBoth();
    cluster.write(TWO, A, 1);
    cluster.end(TWO);
    cluster.start(TWO);
    cluster.on(ONE).optimize(A, TWO);
    cluster.assertSettled();
    assertThat(cluster.pool("a").place().activeOn()).isEqualTo(TWO);
    assertThat(cluster.read(ONE, A)).isEqualTo(1);
    cluster.assertNothingLeftOver();
  }

  @Test
  void unreachableNodeKeepsThePoolWhileItHoldsTheLock() throws Exception {
    attachedOnBoth();
    cluster.switchOff(ONE);
    assertFails(ErrorCode.BUSY, "node-1", () -> cluster.on(THREE).attach(A, "d"));
    assertFails(ErrorCode.BUSY, "node-1", () -> cluster.on(THREE).createCopy(B, A));
    assertThat(cluster.pool("a").place().activeOn()).isEqualTo(ONE);
  }

  @Test
  void userTakesThePoolWhenTheLockOfItsNodeHasExpired() throws Exception {
    attachedOnBoth();
    cluster.write(ONE, A, 9);
    cluster.switchOff(ONE);
    cluster.group.expire(cluster.hosts.get(ONE));
    cluster.on(TWO).advance(SimulatedLvm.GROUP, "a");
    assertThat(cluster.pool("a").place().activeOn()).isEqualTo(TWO);
    assertThat(cluster.read(TWO, A)).isEqualTo(9);
    cluster.restart(ONE);
    cluster.assertSettled();
    assertThat(cluster.read(ONE, A)).as("on the node that came back").isEqualTo(9);
    cluster.assertNothingLeftOver();
  }

  @Test
  void moveToAnUnreachableNodeLeavesThePoolWhereItIs() throws Exception {
    attachedOnBoth();
    cluster.silent.add(TWO);
    assertFails(ErrorCode.UNREACHABLE, "node-2", () -> cluster.on(ONE).optimize(A, TWO));
    cluster.silent.clear();
    cluster.assertSettled();
    assertThat(cluster.pool("a").place().activeOn()).isEqualTo(ONE);
  }

  @Test
  void evictedNodeIsRefused() throws Exception {
    attachedOnBoth();
    assertFails(ErrorCode.BUSY, "node-2", () -> cluster.on(ONE).evict(A, TWO));
    cluster.silent.add(TWO);
    cluster.on(ONE).evict(A, TWO);
    assertThat(cluster.on(ONE).nodes(A, "c")).containsExactly(ONE);
    assertThat(cluster.hosts.get(ONE).links().exports()).isEmpty();
    cluster.write(ONE, A, 1);
    cluster.assertSettled();
  }

  @Test
  void groupWithoutLocksNamesWhatIsMissing() throws Exception {
    assertThat(cluster.on(ONE).inspect(SimulatedLvm.GROUP)).isEmpty();
    assertThat(cluster.on(ONE).take(SimulatedLvm.GROUP).shared()).isTrue();
    cluster.missing.add("daemon lvmlockd");
    assertFails(
        ErrorCode.UNSUPPORTED,
        "daemon lvmlockd is missing: start it",
        () -> cluster.on(ONE).inspect(SimulatedLvm.GROUP));
  }
}
