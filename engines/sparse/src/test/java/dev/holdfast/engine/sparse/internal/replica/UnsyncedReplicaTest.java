package dev.holdfast.engine.sparse.internal.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.chain.ChainOperation;
import dev.holdfast.engine.sparse.internal.disk.CrashPoint;
import dev.holdfast.engine.sparse.internal.disk.Mutant;
import dev.holdfast.engine.sparse.internal.disk.SimulatedDisk;
import dev.holdfast.engine.sparse.internal.members.BlockingMemberIo;
import dev.holdfast.engine.sparse.rpc.LayerRequest;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A sync fails once; the next one succeeds, and the page cache shows content that is on no disk.
 * The next opening of the replica, in the same process or another one, must not trust that content.
 */
class UnsyncedReplicaTest {
  private static final long SIZE = 64L << 20;
  private static final int BLOCK = 4096;
  private static final String LAYER = "volume-snap-s.img";

  private final SimulatedDisk disk = new SimulatedDisk(new CrashPoint(), Mutant.NONE);
  private final ReplicaLocation location =
      new ReplicaLocation("v", "r", "n", Path.of("/disk"), "v", false);
  private final BitSet first = new BitSet();
  private ReplicaHost host = process();
  private long generation;

  @BeforeEach
  void provision() throws Exception {
    SimulatedReplica.provision(disk, location, "id", SIZE);
    first.set(0);
  }

  private ReplicaHost process() {
    return new ReplicaHost(path -> disk.directory(), "this boot");
  }

  private LocalReplica fence() throws StorageException {
    generation++;
    return host.fence(location, new Token(generation, 1), by -> {}).replica();
  }

  private LocalReplica marked() throws StorageException {
    LocalReplica replica = fence();
    replica.mark(first);
    return replica;
  }

  /** Simulates a kill of the process and the start of another one in the same boot. */
  private void restart() {
    disk.engineDied();
    host = process();
  }

  private void failOneSync() {
    disk.setSyncFails(() -> true);
  }

  private static void write(LocalReplica replica, int value) throws StorageException {
    byte[] content = new byte[BLOCK];
    Arrays.fill(content, (byte) value);
    BlockingMemberIo.write(replica, 0, ByteBuffer.wrap(content));
  }

  private static int read(LocalReplica replica) throws IOException {
    ByteBuffer content = ByteBuffer.allocate(BLOCK);
    replica.read(0, content);
    return content.get(0);
  }

  private static ChainOperation operation(ChainOperation.Kind kind) {
    return new ChainOperation(kind.name(), kind, "s", true, "2026-11-21T00:00:00Z", Map.of(), 0);
  }

  private static LayerRequest.Builder request(LayerRequest.Kind kind) {
    return LayerRequest.newBuilder().setKind(kind).setImage(LAYER);
  }

  private int readAfterPowerLoss() throws Exception {
    disk.losePower(new Random(1));
    host = new ReplicaHost(path -> disk.directory(), "another boot");
    return read(fence());
  }

  private void failFlush(LocalReplica replica) throws Exception {
    write(replica, 1);
    BlockingMemberIo.sync(replica);
    write(replica, 2);
    failOneSync();
    assertThatThrownBy(() -> BlockingMemberIo.sync(replica)).isInstanceOf(StorageException.class);
  }

  @Test
  void noSyncSucceedsAfterOneThatFailed() throws Exception {
    LocalReplica replica = marked();
    failFlush(replica);
    assertThatThrownBy(() -> BlockingMemberIo.sync(replica))
        .hasMessageContaining("earlier sync failed");
  }

  @Test
  void contentOfTheNextSessionIsOnTheDisk() throws Exception {
    failFlush(marked());
    LocalReplica next = fence();
    assertThat(next.fenced().intact()).isFalse();
    int shown = read(next);
    assertThat(readAfterPowerLoss()).isEqualTo(shown);
  }

  @Test
  void contentOfTheNextProcessIsOnTheDisk() throws Exception {
    failFlush(marked());
    restart();
    LocalReplica next = fence();
    assertThat(next.fenced().intact()).isFalse();
    int shown = read(next);
    assertThat(readAfterPowerLoss()).isEqualTo(shown);
  }

  @Test
  void marksOfTheNextSessionAreOfTheSameMemoryInTheProcessAfterIt() throws Exception {
    failFlush(marked());
    LocalReplica next = fence();
    next.replaceMarks(first);
    restart();
    assertThat(fence().fenced().intact()).isTrue();
  }

  @Test
  void replicaThatCannotBeWrittenAgainIsRejected() throws Exception {
    failFlush(marked());
    failOneSync();
    assertThatThrownBy(this::fence)
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.IO));
    restart();
    int shown = read(fence());
    assertThat(readAfterPowerLoss()).isEqualTo(shown);
  }

  @Test
  void layerOfABrokenOffCopyIsOnTheDisk() throws Exception {
    LocalReplica replica = marked();
    byte[] content = new byte[BLOCK];
    Arrays.fill(content, (byte) 3);
    replica.layer(request(LayerRequest.Kind.BEGIN).setLength(SIZE).build());
    replica.layer(request(LayerRequest.Kind.WRITE).setData(ByteString.copyFrom(content)).build());
    failOneSync();
    assertThatThrownBy(() -> replica.layer(request(LayerRequest.Kind.COMPLETE).build()))
        .isInstanceOf(StorageException.class);
    fence();
    disk.losePower(new Random(1));
    assertThat(disk.content(LAYER, 0, BLOCK)).isEqualTo(content);
  }

  @Test
  void layerStaysUntilItsBlocksInTheHeadAreOnTheDisk() throws Exception {
    LocalReplica replica = marked();
    write(replica, 1);
    replica.chain().perform(operation(ChainOperation.Kind.SNAPSHOT));
    replica.chain().perform(operation(ChainOperation.Kind.REMOVE));
    failOneSync();
    for (int attempt = 0; attempt < 2; attempt++) {
      assertThatThrownBy(() -> replica.chain().coalesce(Set.of()))
          .isInstanceOf(StorageException.class);
    }
    restart();
    LocalReplica next = fence();
    while (next.chain().coalesce(Set.of())) {
      // Layers are processed sequentially.
    }
    assertThat(readAfterPowerLoss()).isEqualTo(1);
  }
}
