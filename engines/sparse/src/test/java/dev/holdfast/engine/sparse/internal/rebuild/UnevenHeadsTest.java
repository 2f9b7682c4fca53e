package dev.holdfast.engine.sparse.internal.rebuild;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.SnapshotRequest;
import dev.holdfast.engine.SnapshotVolume;
import dev.holdfast.engine.sparse.internal.OneNode;
import dev.holdfast.engine.sparse.internal.disk.LocalReplicaDirectory;
import dev.holdfast.engine.sparse.internal.replica.LocalReplica;
import dev.holdfast.engine.sparse.internal.replica.ReplicaHost;
import dev.holdfast.engine.sparse.internal.replica.ReplicaSession;
import dev.holdfast.engine.sparse.internal.replica.Token;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.util.BitSet;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Members have the same content, but one has data in its head that another has in a lower layer.
 */
@Timeout(60)
class UnevenHeadsTest {
  private static final int BLOCK = 4096;
  // In a part that the second source supplies.
  private static final long UNEVEN = 4L << 20;
  private static final long CHANGED = UNEVEN + (1L << 20);
  // A session number above those of all engines.
  private static final long LATE = 1L << 50;

  @TempDir private Path disks;

  private static byte[] filled(int value) {
    return OneNode.filled(BLOCK, value);
  }

  private interface Step {
    void with(LocalReplica replica) throws StorageException, IOException;
  }

  private static void at(OneNode node, int number, String boot, Step step) throws Exception {
    Token token = new Token(node.register().read().generation(), LATE);
    ReplicaSession session =
        new ReplicaHost(LocalReplicaDirectory::new, boot)
            .fence(node.replica(number), token, by -> {});
    step.with(session.replica());
    session.close();
  }

  // The first replica has lost its memory, so the opening uses the content of another one and
  // copies it into the head of the first. On the others it stays in a lower layer.
  private static void makeUneven(OneNode node) throws Exception {
    BitSet marked = new BitSet();
    marked.set(0);
    at(
        node,
        1,
        "the boot before",
        replica -> {
          replica.mark(marked);
          replica.write(UNEVEN, ByteBuffer.wrap(filled(9)));
        });
    for (int number = 2; number <= 3; number++) {
      at(node, number, OneNode.BOOT, replica -> replica.mark(marked));
    }
    node.open().close();
  }

  @Test
  void rebuildTakesDataAndItsPlacesFromTheSameSource() throws Exception {
    try (OneNode node = new OneNode(disks, 3)) {
      try (OpenVolume volume = node.open()) {
        new DeviceIo(volume.device()).write(UNEVEN, filled(1));
        var unused =
            ((SnapshotVolume) volume)
                .createSnapshot(new SnapshotRequest("s", true, Instant.EPOCH, Map.of()));
      }
      makeUneven(node);
      try (OpenVolume volume = node.open()) {
        DeviceIo io = new DeviceIo(volume.device());
        node.breakDisk(3);
        io.write(CHANGED, filled(2));
        node.mend(3);
        node.rebuild(volume, node.replica(3));
        assertThat(volume.replicas().values()).containsOnly(MemberMode.RW);
      }
      at(
          node,
          3,
          OneNode.BOOT,
          replica -> {
            ByteBuffer content = ByteBuffer.allocate(BLOCK);
            replica.read(UNEVEN, content);
            assertThat(content.array()).isEqualTo(filled(1));
          });
    }
  }
}
