package dev.holdfast.engine.sparse.internal.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.replica.Epoch;
import dev.holdfast.engine.sparse.internal.replica.ReplicaStorage;
import dev.holdfast.engine.sparse.internal.replica.Token;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.BitSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Replicas whose engines on other nodes disappear without ending their sessions. */
@Timeout(60)
class UnusedSessionTest {
  private static final long SIZE = 64 << 20;
  private static final int MANY_LOOKS = 20;

  @TempDir private Path folder;
  private TwoNodes nodes;
  private ReplicaLocation replica;

  @BeforeEach
  void start() throws Exception {
    nodes = new TwoNodes(folder, true);
    replica = nodes.replica("r-1", SIZE);
  }

  @AfterEach
  void stop() {
    nodes.close();
  }

  private ReplicaSessionLink connect(long session) throws StorageException {
    return nodes.links.connect(replica, new Token(1, session), Duration.ofSeconds(20), cause -> {});
  }

  private void look() {
    for (int i = 0; i < MANY_LOOKS; i++) {
      nodes.sessions.endUnused();
    }
  }

  private ReplicaLocation witness() throws StorageException {
    ReplicaLocation witness =
        new ReplicaLocation("vol", "w-1", TwoNodes.FAR, nodes.disk, "w", true);
    new ReplicaStorage().provision(witness, SIZE);
    return witness;
  }

  private static void mark(ReplicaSessionLink link) throws StorageException {
    link.mark(BitSet.valueOf(new long[] {1}));
  }

  private void vanish() {
    nodes.links.close();
    while (nodes.host.holds(replica)) {
      nodes.sessions.endUnused();
    }
  }

  @Test
  void anEngineThatIsConnectedKeepsItsReplicaHoweverQuietItIs() throws Exception {
    ReplicaSessionLink link = connect(1);
    look();
    assertThat(nodes.host.holds(replica)).isTrue();
    mark(link);
  }

  @Test
  void replicaOfAVanishedEngineIsReleased() throws Exception {
    connect(1);
    vanish();
    assertThat(nodes.host.holds(replica)).isFalse();
  }

  // FORBIDDEN would mean that another engine took over.
  @Test
  void returningEngineMustFenceTheReplicaAgain() throws Exception {
    ReplicaSessionLink link = connect(1);
    vanish();
    assertThatThrownBy(() -> mark(link))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNREACHABLE));
    var again = nodes.host.fence(replica, new Token(1, 2), by -> {});
    assertThat(again.replica().fenced().intact()).isTrue();
    again.close();
  }

  // A later session of the engine is admitted although the earlier one was not ended.
  @Test
  void controlCallIsMadeAgainWhenTheNodesEngineWasReplaced() throws Exception {
    ReplicaLocation witness = witness();
    ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    ExecutorService executor = Executors.newCachedThreadPool();
    RemoteMember member =
        RemoteMember.fence(
            witness,
            new Token(1, 1),
            new RemoteMember.Surroundings(
                nodes.links, executor, new WallClock(timer, executor), Duration.ofSeconds(20)));
    nodes.sessions.leaveAll();
    Epoch epoch = new Epoch(1, 1, new TreeSet<>(Set.of(member.id())));
    member.recordEpoch(epoch, new TreeSet<>(), new BitSet());
    assertThat(nodes.host.holds(witness)).isTrue();
    member.close();
    timer.shutdownNow();
    executor.shutdown();
  }

  // An engine of an earlier release treats FORBIDDEN as proof of a later engine.
  @Test
  void sessionThatWasNotSupersededMayResume() throws Exception {
    ReplicaSessionLink link =
        nodes.links.connect(witness(), new Token(1, 1), Duration.ofSeconds(20), cause -> {});
    nodes.sessions.leaveAll();
    assertThatThrownBy(() -> mark(link))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNREACHABLE));
  }
}
