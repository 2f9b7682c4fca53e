package dev.holdfast.engine.sparse.internal.volume;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.Membership;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.SnapshotRequest;
import dev.holdfast.engine.SnapshotVolume;
import dev.holdfast.engine.sparse.internal.OneNode;
import dev.holdfast.engine.sparse.internal.chain.ChainOperation;
import dev.holdfast.engine.sparse.internal.disk.LocalReplicaDirectory;
import dev.holdfast.engine.sparse.internal.replica.LocalReplica;
import dev.holdfast.engine.sparse.internal.replica.ReplicaHost;
import dev.holdfast.engine.sparse.internal.replica.ReplicaSession;
import dev.holdfast.engine.sparse.internal.replica.Token;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.util.BitSet;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A revert that some replicas execute later: at the end all have the content of the snapshot. */
@Timeout(120)
class InterruptedRevertTest {
  private static final int BLOCK = 4096;
  // A session number above those of all engines.
  private static final long LATE = 1L << 50;
  private static final ChainOperation REVERT =
      new ChainOperation(
          "an-operation",
          ChainOperation.Kind.REVERT,
          "s",
          false,
          "2026-11-21T08:00:00Z",
          Map.of(),
          0);

  @TempDir private Path disks;
  private OneNode node;

  @BeforeEach
  void start() throws Exception {
    node = new OneNode(disks, 2);
    try (OpenVolume volume = node.open()) {
      DeviceIo device = new DeviceIo(volume.device());
      device.write(0, filled(1));
      var unused =
          ((SnapshotVolume) volume)
              .createSnapshot(new SnapshotRequest("s", true, Instant.EPOCH, Map.of()));
      device.write(0, filled(2));
    }
  }

  @AfterEach
  void stop() {
    node.close();
  }

  private static byte[] filled(int value) {
    return OneNode.filled(BLOCK, value);
  }

  private void rebuildSecond(OpenVolume volume) throws Exception {
    node.rebuild(volume, node.replica(2));
    assertThat(volume.replicas().values()).containsOnly(MemberMode.RW).hasSize(2);
  }

  // Like an engine that dies before all replicas have executed the revert.
  private void recordPending() throws Exception {
    Membership before = node.register().read();
    assertThat(
            node.register()
                .compareAndSet(before, RegisterRecords.withPending(before, REVERT.encoded())))
        .isTrue();
  }

  private interface Step {
    void with(LocalReplica replica) throws Exception;
  }

  private void at(ReplicaLocation location, Step step) throws Exception {
    Token token = new Token(node.register().read().generation(), LATE);
    ReplicaSession session =
        new ReplicaHost(LocalReplicaDirectory::new, OneNode.BOOT).fence(location, token, by -> {});
    step.with(session.replica());
    session.close();
  }

  private void assertAllHold(int value) throws Exception {
    for (ReplicaLocation location : node.replicas()) {
      ByteBuffer content = ByteBuffer.allocate(BLOCK);
      at(location, replica -> replica.read(0, content));
      assertThat(content.array()).as(location.replica()).isEqualTo(filled(value));
    }
  }

  @Test
  void marksDoNotRestoreAHeadThatOneReplicaDiscarded() throws Exception {
    recordPending();
    BitSet marked = new BitSet();
    marked.set(0);
    for (ReplicaLocation location : node.replicas()) {
      at(location, replica -> replica.mark(marked));
    }
    at(node.replica(2), replica -> replica.chain().perform(REVERT));
    try (OpenVolume volume = node.open()) {
      assertThat(volume.replicas().values()).containsOnly(MemberMode.RW).hasSize(2);
      assertThat(new DeviceIo(volume.device()).read(0, BLOCK)).isEqualTo(filled(1));
    }
    assertAllHold(1);
  }

  @Test
  void replicaThatIsAbsentDuringARevertMissesEverything() throws Exception {
    recordPending();
    try (OpenVolume volume = node.open(node.replicas().subList(0, 1))) {
      rebuildSecond(volume);
    }
    assertAllHold(1);
  }

  @Test
  void replicaThatFailsDuringARevertMissesEverything() throws Exception {
    try (OpenVolume volume = node.open()) {
      node.breakDisk(2);
      ((SnapshotVolume) volume).revert("s");
      node.mend(2);
      rebuildSecond(volume);
    }
    assertAllHold(1);
  }
}
