package dev.holdfast.engine.sparse.internal.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.chain.ChainOperation;
import dev.holdfast.engine.sparse.internal.disk.FragileDirectories;
import dev.holdfast.engine.sparse.internal.members.BlockingMemberIo;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.assertj.core.api.ThrowableAssert;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReplicaHostTest {
  private static final long SIZE = 64L << 20;

  @TempDir private Path disk;
  private final Set<Path> broken = FragileDirectories.noneBroken();
  private final ReplicaHost host =
      new ReplicaHost(new FragileDirectories(broken)::open, "this boot");
  private ReplicaLocation location;

  @BeforeEach
  void provision() throws Exception {
    location = new ReplicaLocation("v", "v-r-1", "n", disk, "v-1");
    new ReplicaStorage().provision(location, SIZE);
  }

  private ReplicaSession fence(long generation, long session) throws StorageException {
    return host.fence(location, new Token(generation, session), by -> {});
  }

  private static ErrorCode code(Throwable failure) {
    return ((StorageException) failure).code();
  }

  @Test
  void laterTokenEndsTheEarlierSession() throws Exception {
    List<Token> told = new ArrayList<>();
    ReplicaSession earlier = host.fence(location, new Token(1, 1), told::add);
    ReplicaSession later = fence(1, 2);
    assertThat(told).containsExactly(new Token(1, 2));
    assertThat(earlier.enter()).isNegative();
    assertThat(later.enter()).isNotNegative();
    assertThat(host.find("v", "v-r-1", new Token(1, 1))).isEmpty();
    assertThat(host.find("v", "v-r-1", new Token(1, 2))).contains(later);
  }

  @Test
  void requestsOfAnEndedSessionHaveNoEffect() throws Exception {
    LocalReplica before = host.fence(location, new Token(1, 1), by -> {}).replica();
    LocalReplica after = fence(2, 1).replica();
    BitSet first = new BitSet();
    first.set(0);
    Epoch epoch = Epoch.of(1, 2, List.of(before));
    ChainOperation snapshot =
        new ChainOperation(
            "id", ChainOperation.Kind.SNAPSHOT, "s", true, "2026-11-21T00:00:00Z", Map.of(), 0);
    for (ThrowableAssert.ThrowingCallable late :
        List.<ThrowableAssert.ThrowingCallable>of(
            () -> before.mark(first),
            () -> before.replaceMarks(first),
            () -> before.recordEpoch(epoch, new TreeSet<>(), first),
            () -> before.seal(),
            () -> before.chain().perform(snapshot))) {
      assertThatThrownBy(late)
          .satisfies(failure -> assertThat(code(failure)).isEqualTo(ErrorCode.FORBIDDEN));
    }
    assertThat(after.chain().snapshots()).isEmpty();
  }

  @Test
  void sameAndOlderTokensAreRefusedAndOlderOnesAlsoAfterTheSessionEnded() throws Exception {
    ReplicaSession session = fence(2, 2);
    for (Token token : List.of(new Token(2, 2), new Token(2, 1), new Token(1, 9))) {
      assertThatThrownBy(() -> host.fence(location, token, by -> {}))
          .satisfies(failure -> assertThat(code(failure)).isEqualTo(ErrorCode.CONFLICT));
    }
    session.close();
    assertThatThrownBy(() -> fence(2, 1))
        .satisfies(failure -> assertThat(code(failure)).isEqualTo(ErrorCode.CONFLICT));
    assertThat(host.holds(location)).isFalse();
  }

  @Test
  void failedSyncCountsAsALossOfMemory() throws Exception {
    ReplicaSession session = fence(1, 1);
    session.replica().replaceMarks(new BitSet());
    BitSet first = new BitSet();
    first.set(0);
    session.replica().mark(first);
    BlockingMemberIo.write(session.replica(), 0, ByteBuffer.allocateDirect(4096));
    broken.add(location.directory());
    assertThatThrownBy(() -> BlockingMemberIo.sync(session.replica()))
        .isInstanceOf(StorageException.class);
    broken.clear();
    FencedReplica again = fence(1, 2).replica().fenced();
    assertThat(again.boot()).isNotEqualTo(session.replica().fenced().boot());
    assertThat(again.intact()).isFalse();
  }

  @Test
  void witnessStoresOnlyItsPromiseAndItsEpoch() throws Exception {
    ReplicaLocation witness = new ReplicaLocation("v", "v-w", "n", disk, "v-w", true);
    new ReplicaStorage().provision(witness, SIZE);
    ReplicaSession session = host.fence(witness, new Token(1, 1), by -> {});
    assertThat(ReplicaIdentity.ofWitness(session.replica().id())).isTrue();
    Epoch epoch = Epoch.of(1, 1, List.of(session.replica()));
    session.replica().recordEpoch(epoch, new TreeSet<>(), new BitSet());
    session.close();
    ReplicaSession next = host.fence(witness, new Token(2, 1), by -> {});
    assertThat(next.replica().history().epoch()).isEqualTo(epoch);
    assertThat(next.replica().history().promise()).isEqualTo(new Token(1, 1));
    assertThat(next.replica().size()).isZero();
  }
}
