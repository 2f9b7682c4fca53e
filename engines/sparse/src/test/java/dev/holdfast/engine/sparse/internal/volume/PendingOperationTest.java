package dev.holdfast.engine.sparse.internal.volume;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.engine.ExpandableVolume;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.Membership;
import dev.holdfast.engine.MembershipRegister;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.SnapshotVolume;
import dev.holdfast.engine.sparse.internal.SparseEngine;
import dev.holdfast.engine.sparse.internal.chain.ChainOperation;
import dev.holdfast.engine.sparse.internal.disk.LocalReplicaDirectory;
import dev.holdfast.engine.sparse.internal.replica.ReplicaHost;
import dev.holdfast.engine.sparse.internal.replica.ReplicaSession;
import dev.holdfast.engine.sparse.internal.replica.Token;
import dev.holdfast.engine.testkit.InMemoryRegister;
import dev.holdfast.engine.testkit.RecordingListener;
import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Handling by an opening of a structural operation that was recorded and possibly not executed. */
class PendingOperationTest {
  private static final long SIZE = 64L << 20;
  private static final long GROWN = 96L << 20;
  private static final String BOOT = "the same boot";

  @TempDir private Path disks;
  private final InMemoryRegister register = new InMemoryRegister();
  private final List<String> pending = new ArrayList<>();
  private SparseEngine engine;

  @BeforeEach
  void start() throws Exception {
    engine = new SparseEngine();
  }

  @AfterEach
  void stop() {
    engine.stop();
  }

  private List<ReplicaLocation> replicas() throws Exception {
    List<ReplicaLocation> locations = new ArrayList<>();
    for (int i = 1; i <= 2; i++) {
      Path disk = disks.resolve("disk-" + i);
      locations.add(new ReplicaLocation("vol", "vol-r-" + i, "node-1", disk, "vol-" + i));
      engine.provisionReplica(locations.get(i - 1), SIZE);
    }
    return locations;
  }

  private OpenVolume open(List<ReplicaLocation> replicas) throws StorageException {
    return engine.open(
        new OpenRequest("vol", SIZE, "node-1", replicas, new Watched(), new RecordingListener()));
  }

  /** Collects the operations that are recorded as pending. */
  private final class Watched implements MembershipRegister {
    @Override
    public Membership read() throws StorageException {
      return register.read();
    }

    @Override
    public boolean compareAndSet(Membership expected, Membership next) throws StorageException {
      if (!next.pendingOperation().isEmpty()) {
        pending.add(next.pendingOperation());
      }
      return register.compareAndSet(expected, next);
    }
  }

  private static ChainOperation expansion(long size) {
    return new ChainOperation(
        "an-operation",
        ChainOperation.Kind.EXPAND,
        "",
        false,
        "2026-11-21T08:00:00Z",
        Map.of(),
        size);
  }

  private void record(ChainOperation operation) throws Exception {
    Membership before = register.read();
    assertThat(
            register.compareAndSet(
                before, RegisterRecords.withPending(before, operation.encoded())))
        .isTrue();
  }

  private void make(ReplicaLocation replica, ChainOperation operation) throws Exception {
    Token token = new Token(register.read().generation(), 100);
    ReplicaSession session =
        new ReplicaHost(LocalReplicaDirectory::new, BOOT).fence(replica, token, by -> {});
    session.replica().chain().perform(operation);
    session.close();
  }

  @Test
  void expansionThatOneReplicaMadeBeforeACrashIsMadeByAll() throws Exception {
    List<ReplicaLocation> replicas = replicas();
    open(replicas).close();
    record(expansion(GROWN));
    make(replicas.get(1), expansion(GROWN));
    try (OpenVolume volume = open(replicas)) {
      assertThat(volume.device().size()).isEqualTo(GROWN);
      assertThat(volume.replicas().values()).containsOnly(MemberMode.RW);
      assertThat(new DeviceIo(volume.device()).read(GROWN - 4096, 4096)).containsOnly(0);
    }
    assertThat(register.read().sizeBytes()).isEqualTo(GROWN);
    assertThat(register.read().pendingOperation()).isEmpty();
  }

  @Test
  void impossibleExpansionIsCancelledAndKeepsTheSize() throws Exception {
    List<ReplicaLocation> replicas = replicas();
    open(replicas).close();
    record(expansion(SIZE + 1));
    for (int opening = 0; opening < 2; opening++) {
      try (OpenVolume volume = open(replicas)) {
        assertThat(volume.device().size()).isEqualTo(SIZE);
        assertThat(volume.replicas().values()).containsOnly(MemberMode.RW);
      }
      assertThat(register.read().sizeBytes()).isEqualTo(SIZE);
      assertThat(register.read().pendingOperation()).isEmpty();
    }
  }

  @Test
  void replicasRememberTheSameTimeOfAnExpansion() throws Exception {
    try (OpenVolume volume = open(replicas())) {
      ((ExpandableVolume) volume).expand(GROWN);
      ChainOperation operation = ChainOperation.parse(pending.get(0)).orElseThrow();
      Instant made = Instant.parse(operation.created()).truncatedTo(ChronoUnit.SECONDS);
      assertThat(((SnapshotVolume) volume).snapshots())
          .singleElement()
          .satisfies(snapshot -> assertThat(snapshot.created()).isEqualTo(made));
    }
  }
}
