package dev.holdfast.engine.sparse.internal.volume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.DecidedEpoch;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.sparse.internal.OneNode;
import dev.holdfast.engine.sparse.internal.disk.FileFaults;
import dev.holdfast.engine.sparse.internal.disk.LocalReplicaDirectory;
import dev.holdfast.engine.sparse.internal.replica.ReplicaHost;
import dev.holdfast.engine.sparse.internal.replica.ReplicaSession;
import dev.holdfast.engine.sparse.internal.replica.Token;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Replicas with a sector that cannot be read, in a region that an unclean stop left marked. */
@Timeout(60)
class UnreadableRegionTest {
  private static final int LENGTH = 8192;
  private static final long BAD = 4096;
  // A session number above those of all engines.
  private static final long LATE = 1L << 50;

  @TempDir private Path disks;
  private final Set<Path> unreadable = ConcurrentHashMap.newKeySet();
  private OneNode node;

  @BeforeEach
  void start() throws Exception {
    node =
        new OneNode(disks, 2, (path, directory) -> FileFaults.around(path, directory, this::touch));
    try (OpenVolume volume = node.open()) {
      new DeviceIo(volume.device()).write(0, content());
    }
  }

  @AfterEach
  void stop() {
    node.close();
  }

  // Like a disk that remaps an overwritten sector.
  private void touch(Path directory, boolean write, long position, int length) throws IOException {
    boolean meets = position <= BAD && BAD < position + length;
    if (meets && write) {
      unreadable.remove(directory);
    } else if (meets && unreadable.contains(directory)) {
      throw new IOException("Input/output error");
    }
  }

  private static byte[] content() {
    return OneNode.filled(LENGTH, 1);
  }

  private void unreadable(int replica) {
    unreadable.add(node.replica(replica).directory());
  }

  // Leaves a replica in the state after the death of its engine.
  private void mark(int replica, String boot) throws Exception {
    Token token = new Token(node.register().read().generation(), LATE);
    ReplicaSession session =
        new ReplicaHost(LocalReplicaDirectory::new, boot)
            .fence(node.replica(replica), token, by -> {});
    BitSet marked = new BitSet();
    marked.set(0);
    session.replica().mark(marked);
    session.close();
  }

  private void markBoth(String boot) throws Exception {
    mark(1, boot);
    mark(2, boot);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void replicaThatCannotBeReadIsLeftOutAndRebuilt(int bad) throws Exception {
    markBoth(OneNode.BOOT);
    unreadable(bad);
    try (OpenVolume volume = node.open()) {
      assertThat(new DeviceIo(volume.device()).read(0, LENGTH)).isEqualTo(content());
      assertThat(volume.replicas())
          .containsEntry("r-" + bad, MemberMode.ERR)
          .containsEntry("r-" + (3 - bad), MemberMode.RW);
      List<DecidedEpoch> history = node.register().read().history();
      DecidedEpoch last = history.get(history.size() - 1);
      assertThat(last.members()).hasSize(1);
      assertThat(last.reason()).contains("left out: r-" + bad);
      node.rebuild(volume, node.replica(bad));
    }
    try (OpenVolume volume = node.open(List.of(node.replica(bad)))) {
      assertThat(new DeviceIo(volume.device()).read(0, LENGTH)).isEqualTo(content());
    }
  }

  @Test
  void lastReplicaIsNotLeftOut() throws Exception {
    markBoth(OneNode.BOOT);
    unreadable(1);
    unreadable(2);
    try (OpenVolume volume = node.open()) {
      assertThat(volume.replicas()).containsValue(MemberMode.RW);
      assertThat(new DeviceIo(volume.device()).read(BAD + 4096, 4096)).isNotNull();
    }
  }

  @Test
  void replicaThatLostItsMemoryToIsNotNeededAfterALossOfPower() throws Exception {
    markBoth("the boot before");
    unreadable(2);
    try (OpenVolume volume = node.open()) {
      assertThat(new DeviceIo(volume.device()).read(0, LENGTH)).isEqualTo(content());
      assertThat(volume.replicas()).containsEntry("r-2", MemberMode.ERR);
    }
  }

  // This replica may have acknowledged writes that the other one has lost.
  @Test
  void onlyReplicaThatKeptItsMemoryIsNeeded() throws Exception {
    mark(1, OneNode.BOOT);
    mark(2, "the boot before");
    unreadable(1);
    assertThatThrownBy(() -> node.open())
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("after a loss of power")
        .hasMessageContaining("r-1");
    unreadable.clear();
    node.open().close();
  }
}
