package dev.holdfast.engine.sparse.internal.volume;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.sparse.internal.OneNode;
import dev.holdfast.engine.sparse.internal.disk.FileFaults;
import dev.holdfast.engine.sparse.internal.disk.LocalReplicaDirectory;
import dev.holdfast.engine.sparse.internal.replica.ReplicaHost;
import dev.holdfast.engine.sparse.internal.replica.ReplicaSession;
import dev.holdfast.engine.sparse.internal.replica.Token;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.BitSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * An engine dies when one of two members has a write and the record that the absent third replica
 * misses it, and the other member has neither.
 */
@Timeout(60)
class LostNotesTest {
  private static final int BLOCK = 4096;
  private static final long OTHER_REGION = 16L << 20;
  // A session number above those of all engines.
  private static final long LATE = 1L << 50;

  @TempDir private Path disks;
  private volatile boolean unreadable;
  private OneNode node;

  @BeforeEach
  void start() throws Exception {
    node =
        new OneNode(disks, 3, (path, directory) -> FileFaults.around(path, directory, this::touch));
    node.open().close();
    try (OpenVolume volume = node.open(node.replicas().subList(0, 2))) {
      new DeviceIo(volume.device()).write(OTHER_REGION, OneNode.filled(BLOCK, 1));
    }
  }

  @AfterEach
  void stop() {
    node.close();
  }

  private void touch(Path directory, boolean write, long position, int length) throws IOException {
    boolean meets = position <= OTHER_REGION && OTHER_REGION < position + length;
    if (unreadable && meets && directory.equals(node.replica(1).directory())) {
      throw new IOException("Input/output error");
    }
  }

  // Leaves a replica in the state after the death of its engine.
  private void writeOneAlone() throws Exception {
    Token token = new Token(node.register().read().generation(), LATE);
    ReplicaSession session =
        new ReplicaHost(LocalReplicaDirectory::new, OneNode.BOOT)
            .fence(node.replica(1), token, by -> {});
    BitSet marked = new BitSet();
    marked.set(0, 2);
    session.replica().mark(marked);
    ByteBuffer content = ByteBuffer.allocateDirect(BLOCK).put(OneNode.filled(BLOCK, 2)).flip();
    session.replica().write(0, content);
    session.close();
  }

  @Test
  void replicaThatTookAWriteOverMarksTheMemberThatMissesIt() throws Exception {
    writeOneAlone();
    unreadable = true;
    try (OpenVolume volume = node.open()) {
      assertThat(volume.replicas())
          .containsEntry("r-1", MemberMode.ERR)
          .containsEntry("r-2", MemberMode.RW)
          .containsEntry("r-3", MemberMode.ERR);
      assertThat(new DeviceIo(volume.device()).read(0, BLOCK)).isEqualTo(OneNode.filled(BLOCK, 2));
      node.rebuild(volume, node.replica(3));
    }
    try (OpenVolume volume = node.open(node.replicas().subList(2, 3))) {
      assertThat(new DeviceIo(volume.device()).read(0, BLOCK)).isEqualTo(OneNode.filled(BLOCK, 2));
      assertThat(new DeviceIo(volume.device()).read(OTHER_REGION, BLOCK))
          .isEqualTo(OneNode.filled(BLOCK, 1));
    }
  }
}
