package dev.holdfast.engine.sparse.internal.volume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.ExpandableVolume;
import dev.holdfast.engine.Membership;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.ReplicaMode;
import dev.holdfast.engine.SnapshotVolume;
import dev.holdfast.engine.sparse.internal.SparseEngine;
import dev.holdfast.engine.sparse.internal.chain.ChainOperation;
import dev.holdfast.engine.sparse.internal.disk.FragileDirectories;
import dev.holdfast.engine.sparse.internal.replica.ReplicaHost;
import dev.holdfast.engine.sparse.internal.replica.ReplicaSession;
import dev.holdfast.engine.sparse.internal.replica.Token;
import dev.holdfast.engine.testkit.InMemoryRegister;
import dev.holdfast.engine.testkit.RecordingListener;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A growth that not all replicas can make: none has it in the end. */
class ExpansionRollbackTest {
  private static final long SIZE = 64L << 20;
  private static final long GROWN = 96L << 20;
  private static final String BOOT = "boot";

  @TempDir private Path disks;
  private final Set<Path> broken = FragileDirectories.noneBroken();
  private final FragileDirectories directories = new FragileDirectories(broken);
  private final InMemoryRegister register = new InMemoryRegister();
  private final List<ReplicaLocation> replicas = new ArrayList<>();
  private SparseEngine engine;

  @BeforeEach
  void start() throws Exception {
    engine =
        new SparseEngine(
            directories::open,
            BOOT,
            Executors.newCachedThreadPool(),
            Duration.ofMillis(20),
            (location, token, timeout, listener) -> {
              throw new AssertionError("all replicas are here");
            });
    for (int i = 1; i <= 3; i++) {
      replicas.add(new ReplicaLocation("vol", "r-" + i, "node", disks.resolve("d" + i), "vol"));
      engine.provisionReplica(replicas.get(i - 1), SIZE);
    }
  }

  @AfterEach
  void stop() {
    broken.clear();
    engine.stop();
  }

  private OpenVolume open() throws Exception {
    return engine.open(
        new OpenRequest("vol", SIZE, "node", replicas, register, new RecordingListener()));
  }

  private void fill(int replica, boolean filled) {
    directories.fill(replicas.get(replica).directory(), filled);
  }

  private static byte[] filled(int value) {
    byte[] content = new byte[8192];
    Arrays.fill(content, (byte) value);
    return content;
  }

  private static StorageException refusal(OpenVolume volume) {
    return catchThrowableOfType(
        StorageException.class, () -> ((ExpandableVolume) volume).expand(GROWN));
  }

  private void checkAsBefore(OpenVolume volume) throws Exception {
    assertThat(volume.device().size()).isEqualTo(SIZE);
    assertThat(volume.replicas().values()).containsOnly(ReplicaMode.RW).hasSize(3);
    assertThat(((SnapshotVolume) volume).snapshots()).isEmpty();
    assertThat(register.read().sizeBytes()).isEqualTo(SIZE);
    assertThat(register.read().pendingOperation()).isEmpty();
    assertThat(register.read().members()).hasSize(3);
  }

  private void checkEach(byte[] content) throws Exception {
    for (ReplicaLocation replica : replicas) {
      assertThat(engine.inspectReplica(replica).orElseThrow().sizeBytes()).isEqualTo(GROWN);
    }
    for (int i = 0; i < 3; i++) {
      try (OpenVolume volume = open()) {
        assertThat(new DeviceIo(volume.device()).read(0, content.length)).isEqualTo(content);
      }
    }
  }

  @Test
  void allGoBackWhenOneDiskIsFull() throws Exception {
    try (OpenVolume volume = open()) {
      DeviceIo io = new DeviceIo(volume.device());
      io.write(0, filled(1));
      fill(1, true);
      for (int attempt = 0; attempt < 2; attempt++) {
        StorageException why = refusal(volume);
        assertThat(why.code()).isEqualTo(ErrorCode.NO_SPACE);
        assertThat(why).hasMessageContaining("r-2").hasMessageContaining("" + SIZE);
        checkAsBefore(volume);
        io.write(4096, filled(2 + attempt));
        assertThat(io.read(4096, 8192)).isEqualTo(filled(2 + attempt));
      }
      fill(1, false);
      ((ExpandableVolume) volume).expand(GROWN);
      assertThat(volume.replicas().values()).containsOnly(ReplicaMode.RW);
      io.write(GROWN - 8192, filled(4));
    }
    byte[] content = new byte[12_288];
    Arrays.fill(content, 0, 4096, (byte) 1);
    Arrays.fill(content, 4096, content.length, (byte) 3);
    checkEach(content);
  }

  @Test
  void diskThatFailsIsDroppedAndTheOthersGrow() throws Exception {
    try (OpenVolume volume = open()) {
      broken.add(replicas.get(2).directory());
      assertThat(refusal(volume)).isNull();
      assertThat(volume.replicas())
          .containsEntry("r-1", ReplicaMode.RW)
          .containsEntry("r-2", ReplicaMode.RW)
          .containsEntry("r-3", ReplicaMode.ERR);
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
    Membership before = register.read();
    assertThat(register.compareAndSet(before, Records.withPending(before, expansion().encoded())))
        .isTrue();
    for (int replica : made) {
      ReplicaSession session =
          new ReplicaHost(directories::open, BOOT)
              .fence(replicas.get(replica), new Token(before.generation(), 100), by -> {});
      session.replica().chain().perform(expansion());
      session.close();
    }
  }

  @Test
  void nextOpeningTakesBackWhatNotAllCanMake() throws Exception {
    try (OpenVolume volume = open()) {
      new DeviceIo(volume.device()).write(0, filled(1));
    }
    dieInTheMiddle(0, 2);
    fill(1, true);
    try (OpenVolume volume = open()) {
      checkAsBefore(volume);
      new DeviceIo(volume.device()).write(4096, filled(2));
      fill(1, false);
      ((ExpandableVolume) volume).expand(GROWN);
    }
    byte[] content = new byte[12_288];
    Arrays.fill(content, 0, 4096, (byte) 1);
    Arrays.fill(content, 4096, content.length, (byte) 2);
    checkEach(content);
  }

  @Test
  void nextOpeningMakesWhatAllCanMake() throws Exception {
    open().close();
    dieInTheMiddle(1);
    try (OpenVolume volume = open()) {
      assertThat(volume.device().size()).isEqualTo(GROWN);
      assertThat(volume.replicas().values()).containsOnly(ReplicaMode.RW).hasSize(3);
    }
  }
}
