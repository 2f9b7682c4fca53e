package dev.holdfast.engine.sparse.internal.members;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.Membership;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.disk.FragileDirectories;
import dev.holdfast.engine.sparse.internal.replica.Member;
import dev.holdfast.engine.sparse.internal.replica.ReplicaHost;
import dev.holdfast.engine.sparse.internal.replica.ReplicaStorage;
import dev.holdfast.engine.sparse.internal.replica.RequestGate;
import dev.holdfast.engine.sparse.internal.replica.Token;
import dev.holdfast.engine.testkit.InMemoryRegister;
import dev.holdfast.engine.testkit.RecordingListener;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Members that fail, or are removed, until the remaining members are decided. */
class PendingRemovalsTest {
  private static final long SIZE = 1 << 20;

  @TempDir private Path disk;
  private final StorageException cause = new StorageException(ErrorCode.IO, "its disk died");
  private final ReplicaHost host =
      new ReplicaHost(new FragileDirectories(FragileDirectories.noneBroken())::open, "boot");
  private final RequestGate gate = new RequestGate(Runnable::run);
  private final ReplicaModes modes = new ReplicaModes();
  private final PendingRemovals departures = new PendingRemovals(gate, modes);
  private Member a;
  private Member b;
  private Member c;

  @BeforeEach
  void keepThree() throws Exception {
    a = member("a");
    b = member("b");
    c = member("c");
    WriteIntents intents = new WriteIntents(SIZE);
    MembershipManager keeper =
        new MembershipManager(
            "v",
            new RegisterRecord("v", new InMemoryRegister(), Membership.NONE),
            new RecordingListener(),
            gate,
            intents,
            modes,
            Runnable::run,
            new QueuedClock(),
            Duration.ofSeconds(1));
    departures.of(
        new ReplicaFanout(List.of(a, b, c), intents, new FailureRule(keeper), Runnable::run));
  }

  private Member member(String name) throws Exception {
    ReplicaLocation location = new ReplicaLocation("v", name, "n", disk, "v-" + name);
    new ReplicaStorage().provision(location, SIZE);
    return new TimedMember(
        host.fence(location, new Token(1, 1), by -> {}),
        new TimedMember.Surroundings(
            Runnable::run, new QueuedClock(), Duration.ofSeconds(1), new HungReplicas()));
  }

  @AfterEach
  void close() {
    List.of(a, b, c).forEach(Member::close);
  }

  private boolean admits() {
    int ticket = gate.enter();
    if (ticket >= 0) {
      gate.leave(ticket);
    }
    return ticket >= 0;
  }

  @Test
  void noRequestIsAdmittedUntilFailedReplicasAreRemoved() {
    departures.failed(b, cause);
    assertThat(admits()).isFalse();
    List<Member> survivors = departures.survivors();
    departures.failed(c, cause);
    assertThat(departures.decided(survivors))
        .extracting(PendingRemovals.Left::member)
        .containsExactly(b);
    assertThat(modes.all()).containsExactly(Map.entry("b", MemberMode.ERR));
    assertThat(admits()).isFalse();
    departures.resume();
    assertThat(admits()).isFalse();
    assertThat(departures.decided(departures.survivors()))
        .containsExactly(new PendingRemovals.Left(c, Optional.of(cause)));
    assertThat(admits()).isTrue();
  }

  @Test
  void failureOfARemovedReplicaBlocksNoRequest() {
    departures.failed(b, cause);
    departures.decided(departures.survivors());
    departures.failed(b, cause);
    assertThat(departures.settled()).isTrue();
    assertThat(admits()).isTrue();
  }

  @Test
  void oneDecisionAtATimeIsBegun() {
    assertThat(departures.beginDeciding()).isFalse();
    departures.failed(b, cause);
    assertThat(departures.beginDeciding()).isTrue();
    departures.failed(c, cause);
    assertThat(departures.beginDeciding()).isFalse();
    departures.endDeciding();
    assertThat(departures.beginDeciding()).isTrue();
  }

  @Test
  void memberThatIsGivenUpLeavesWithTheOthersThatFailed() {
    departures.beginRemoval(a);
    departures.failed(b, cause);
    assertThat(departures.reason()).isEqualTo("dropped: b; removed: a");
    assertThat(departures.survivors()).containsExactly(c);
    assertThat(departures.removed()).containsExactly(a.id());
  }

  @Test
  void memberThatIsGivenUpStaysWhenAllOthersFail() {
    departures.beginRemoval(a);
    departures.failed(b, cause);
    departures.failed(c, cause);
    assertThat(departures.survivors()).containsExactly(a);
    assertThat(departures.removed()).isEmpty();
    assertThat(departures.reason()).isEqualTo("dropped: b, c");
  }

  @Test
  void failedMemberMayDifferAnywhereUntilItsDropIsDecided() {
    departures.failedDifferAnywhere();
    assertThat(departures.differAnywhere()).isFalse();
    departures.failed(b, cause);
    departures.failedDifferAnywhere();
    assertThat(departures.differAnywhere()).isTrue();
    departures.decided(departures.survivors());
    assertThat(departures.differAnywhere()).isFalse();
  }
}
