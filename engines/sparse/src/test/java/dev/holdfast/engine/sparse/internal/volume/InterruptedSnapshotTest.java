package dev.holdfast.engine.sparse.internal.volume;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.Membership;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.sparse.internal.OneNode;
import dev.holdfast.engine.sparse.internal.chain.ChainOperation;
import dev.holdfast.engine.sparse.internal.disk.LocalReplicaDirectory;
import dev.holdfast.engine.sparse.internal.replica.LocalReplica;
import dev.holdfast.engine.sparse.internal.replica.ReplicaHost;
import dev.holdfast.engine.sparse.internal.replica.ReplicaSession;
import dev.holdfast.engine.sparse.internal.replica.Token;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A snapshot that one replica has taken when the engine dies: at the end it is equal on all
 * replicas.
 */
@Timeout(120)
class InterruptedSnapshotTest {
  private static final int BLOCK = 4096;
  // A session number above those of all engines.
  private static final long LATE = 1L << 50;
  private static final ChainOperation SNAPSHOT =
      new ChainOperation(
          "an-operation",
          ChainOperation.Kind.SNAPSHOT,
          "s",
          true,
          "2026-11-21T08:00:00Z",
          Map.of(),
          0);

  @TempDir private Path disks;
  private OneNode node;

  @BeforeEach
  void start() throws Exception {
    node = new OneNode(disks, 2);
    node.open().close();
  }

  @AfterEach
  void stop() {
    node.close();
  }

  private interface Step {
    void with(LocalReplica replica) throws Exception;
  }

  private void at(int number, Step step) throws Exception {
    Token token = new Token(node.register().read().generation(), LATE);
    ReplicaSession session =
        new ReplicaHost(LocalReplicaDirectory::new, OneNode.BOOT)
            .fence(node.replica(number), token, by -> {});
    step.with(session.replica());
    session.close();
  }

  // A write in flight at the death of the engine is on one replica only.
  private void writtenIn(LocalReplica replica, int value) throws Exception {
    BitSet marked = new BitSet();
    marked.set(0);
    replica.mark(marked);
    replica.write(0, ByteBuffer.wrap(OneNode.filled(BLOCK, value)));
  }

  @Test
  void allReplicasGetTheContentOfTheExistingSnapshot() throws Exception {
    Membership before = node.register().read();
    assertThat(
            node.register()
                .compareAndSet(before, RegisterRecords.withPending(before, SNAPSHOT.encoded())))
        .isTrue();
    at(1, replica -> writtenIn(replica, 1));
    at(
        2,
        replica -> {
          writtenIn(replica, 2);
          replica.chain().perform(SNAPSHOT);
        });
    try (OpenVolume volume = node.open()) {
      assertThat(volume.replicas().values()).containsOnly(MemberMode.RW).hasSize(2);
      assertThat(new DeviceIo(volume.device()).read(0, BLOCK)).isEqualTo(OneNode.filled(BLOCK, 2));
    }
    for (int number = 1; number <= 2; number++) {
      ByteBuffer content = ByteBuffer.allocate(BLOCK);
      at(number, replica -> replica.chain().read("s", 0, content));
      assertThat(content.array()).as("r-" + number).isEqualTo(OneNode.filled(BLOCK, 2));
    }
  }
}
