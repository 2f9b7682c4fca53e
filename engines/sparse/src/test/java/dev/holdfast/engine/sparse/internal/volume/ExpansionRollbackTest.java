package dev.holdfast.engine.sparse.internal.volume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.ExpandableVolume;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.Membership;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.SnapshotVolume;
import dev.holdfast.engine.sparse.internal.OneNode;
import dev.holdfast.engine.sparse.internal.chain.ChainOperation;
import dev.holdfast.engine.sparse.internal.disk.LocalReplicaDirectory;
import dev.holdfast.engine.sparse.internal.replica.ReplicaHost;
import dev.holdfast.engine.sparse.internal.replica.ReplicaSession;
import dev.holdfast.engine.sparse.internal.replica.Token;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A growth that some replicas cannot execute: at the end no replica has grown. */
class ExpansionRollbackTest {
  private static final long GROWN = 96L << 20;
  private static final int LENGTH = 8192;

  @TempDir private Path disks;
  private OneNode node;

  @BeforeEach
  void start() throws Exception {
    node = new OneNode(disks, 3);
  }

  @AfterEach
  void stop() {
    node.close();
  }

  private static byte[] filled(int value) {
    return OneNode.filled(LENGTH, value);
  }

  private static StorageException refusal(OpenVolume volume) {
    return catchThrowableOfType(
        StorageException.class, () -> ((ExpandableVolume) volume).expand(GROWN));
  }

  private void checkAsBefore(OpenVolume volume) throws Exception {
    assertThat(volume.device().size()).isEqualTo(OneNode.SIZE);
    assertThat(volume.replicas().values()).containsOnly(MemberMode.RW).hasSize(3);
    assertThat(((SnapshotVolume) volume).snapshots()).isEmpty();
    assertThat(node.register().read().sizeBytes()).isEqualTo(OneNode.SIZE);
    assertThat(node.register().read().pendingOperation()).isEmpty();
    assertThat(node.register().read().members()).hasSize(3);
  }

  private void checkEach(byte[] content) throws Exception {
    for (ReplicaLocation replica : node.replicas()) {
      assertThat(node.engine().inspectReplica(replica).orElseThrow().sizeBytes()).isEqualTo(GROWN);
    }
    for (int i = 0; i < 3; i++) {
      try (OpenVolume volume = node.open()) {
        assertThat(new DeviceIo(volume.device()).read(0, content.length)).isEqualTo(content);
      }
    }
  }

  @Test
  void allReplicasRollBackWhenOneDiskIsFull() throws Exception {
    try (OpenVolume volume = node.open()) {
      DeviceIo io = new DeviceIo(volume.device());
      io.write(0, filled(1));
      node.fill(2, true);
      for (int attempt = 0; attempt < 2; attempt++) {
        StorageException why = refusal(volume);
        assertThat(why.code()).isEqualTo(ErrorCode.NO_SPACE);
        assertThat(why).hasMessageContaining("r-2").hasMessageContaining("" + OneNode.SIZE);
        checkAsBefore(volume);
        io.write(4096, filled(2 + attempt));
        assertThat(io.read(4096, 8192)).isEqualTo(filled(2 + attempt));
      }
      node.fill(2, false);
      ((ExpandableVolume) volume).expand(GROWN);
      assertThat(volume.replicas().values()).containsOnly(MemberMode.RW);
      io.write(GROWN - 8192, filled(4));
    }
    byte[] content = new byte[12_288];
    Arrays.fill(content, 0, 4096, (byte) 1);
    Arrays.fill(content, 4096, content.length, (byte) 3);
    checkEach(content);
  }

  @Test
  void diskThatFailsIsDroppedAndTheOthersGrow() throws Exception {
    try (OpenVolume volume = node.open()) {
      node.breakDisk(3);
      assertThat(refusal(volume)).isNull();
      assertThat(volume.replicas())
          .containsEntry("r-1", MemberMode.RW)
          .containsEntry("r-2", MemberMode.RW)
          .containsEntry("r-3", MemberMode.ERR);
      assertThat(volume.device().size()).isEqualTo(GROWN);
    }
  }

  private static ChainOperation expansion() {
    return new ChainOperation(
        "an-operation",
        ChainOperation.Kind.EXPAND,
        "",
        false,
        "2026-11-21T08:00:00Z",
        Map.of(),
        GROWN);
  }

  private void dieInTheMiddle(int... made) throws Exception {
    Membership before = node.register().read();
    assertThat(
            node.register()
                .compareAndSet(before, RegisterRecords.withPending(before, expansion().encoded())))
        .isTrue();
    for (int replica : made) {
      ReplicaSession session =
          new ReplicaHost(LocalReplicaDirectory::new, OneNode.BOOT)
              .fence(node.replica(replica), new Token(before.generation(), 100), by -> {});
      session.replica().chain().perform(expansion());
      session.close();
    }
  }

  @Test
  void nextOpeningRollsBackAnExpansionThatNotAllCanComplete() throws Exception {
    try (OpenVolume volume = node.open()) {
      new DeviceIo(volume.device()).write(0, filled(1));
    }
    dieInTheMiddle(1, 3);
    node.fill(2, true);
    try (OpenVolume volume = node.open()) {
      checkAsBefore(volume);
      new DeviceIo(volume.device()).write(4096, filled(2));
      node.fill(2, false);
      ((ExpandableVolume) volume).expand(GROWN);
    }
    byte[] content = new byte[12_288];
    Arrays.fill(content, 0, 4096, (byte) 1);
    Arrays.fill(content, 4096, content.length, (byte) 2);
    checkEach(content);
  }

  @Test
  void nextOpeningCompletesAnExpansionThatAllCanComplete() throws Exception {
    node.open().close();
    dieInTheMiddle(2);
    try (OpenVolume volume = node.open()) {
      assertThat(volume.device().size()).isEqualTo(GROWN);
      assertThat(volume.replicas().values()).containsOnly(MemberMode.RW).hasSize(3);
    }
  }
}
