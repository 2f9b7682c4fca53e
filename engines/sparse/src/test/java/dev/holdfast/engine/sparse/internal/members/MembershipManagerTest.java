package dev.holdfast.engine.sparse.internal.members;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.Membership;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.disk.FragileDirectories;
import dev.holdfast.engine.sparse.internal.replica.Epoch;
import dev.holdfast.engine.sparse.internal.replica.Member;
import dev.holdfast.engine.sparse.internal.replica.ReplicaHost;
import dev.holdfast.engine.sparse.internal.replica.ReplicaSession;
import dev.holdfast.engine.sparse.internal.replica.ReplicaStorage;
import dev.holdfast.engine.sparse.internal.replica.RequestGate;
import dev.holdfast.engine.sparse.internal.replica.Token;
import dev.holdfast.engine.testkit.InMemoryRegister;
import dev.holdfast.engine.testkit.RecordingListener;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A failure must be decided, but another thread decides it first with its own decision: the removal
 * of another replica excludes both. Requests must not wait for the rest of the first decision, nor
 * the decision for them.
 */
@Timeout(60)
class MembershipManagerTest {
  private static final int SIZE = 1 << 20;

  @TempDir private Path disks;
  private final InMemoryRegister register = new InMemoryRegister();
  private final ExecutorService threads =
      Executors.newCachedThreadPool(
          task -> {
            Thread thread = new Thread(task);
            thread.setDaemon(true);
            return thread;
          });
  private final List<Runnable> kept = new ArrayList<>();
  private final QueuedClock clock = new QueuedClock();
  private final RequestGate gate = new RequestGate(threads);
  private final List<ReplicaSession> sessions = new ArrayList<>();
  private final List<Member> replicas = new ArrayList<>();
  private boolean keeping;
  private ReplicaFanout members;
  private MembershipManager keeper;

  @BeforeEach
  void open() throws Exception {
    ReplicaHost host =
        new ReplicaHost(new FragileDirectories(FragileDirectories.noneBroken())::open, "boot");
    for (String name : List.of("r-1", "r-2", "r-3")) {
      sessions.add(fence(host, name));
      replicas.add(sessions.get(sessions.size() - 1).replica());
    }
    TreeSet<String> ids = new TreeSet<>();
    replicas.forEach(replica -> ids.add(replica.id()));
    Membership opened = new Membership(1, "n", 0, 0, new TreeSet<>(), SIZE, "", List.of());
    Membership stored = new Epoch(1, 1, ids).in(opened, "first opening");
    assertThat(register.compareAndSet(Membership.NONE, stored)).isTrue();
    WriteIntents intents = new WriteIntents(SIZE);
    keeper =
        new MembershipManager(
            "v",
            new RegisterRecord("v", register, stored),
            new RecordingListener(),
            gate,
            intents,
            new ReplicaModes(),
            this::execute,
            clock,
            Duration.ofSeconds(1));
    members = new ReplicaFanout(replicas, intents, new FailureRule(keeper), threads);
    keeper.keep(members);
  }

  private ReplicaSession fence(ReplicaHost host, String name) throws Exception {
    Path disk = Files.createDirectory(disks.resolve(name));
    ReplicaLocation location = new ReplicaLocation("v", name, "n", disk, "v-1");
    new ReplicaStorage().provision(location, SIZE);
    return host.fence(location, new Token(1, 1), by -> {});
  }

  private void execute(Runnable task) {
    if (keeping) {
      kept.add(task);
    } else {
      threads.execute(task);
    }
  }

  /** The second replica fails while the third one is removed, which excludes both. */
  private void decideOnTheWay() throws StorageException {
    assertThat(
            keeper.still(
                () -> {
                  keeping = true;
                  keeper.drop(replicas.get(1), new StorageException(ErrorCode.IO, "its disk"));
                  keeper.settle();
                  keeping = false;
                  keeper.remove(replicas.get(2));
                }))
        .isTrue();
    assertThat(kept).hasSize(1);
    assertThat(members.current()).containsExactly(replicas.get(0));
  }

  private void assertServes() {
    int ticket = gate.enter();
    assertThat(ticket).as("a request is admitted").isNotNegative();
    gate.leave(ticket);
  }

  @AfterEach
  void close() {
    threads.shutdown();
    sessions.forEach(ReplicaSession::close);
  }

  @Test
  void nextStillActionAdmitsRequestsAgain() throws Exception {
    decideOnTheWay();
    assertThat(keeper.still(() -> {})).isTrue();
    assertServes();
  }

  @Test
  void eachEpochIsDecidedOnce() throws Exception {
    decideOnTheWay();
    register.become(InMemoryRegister.Mode.UNREACHABLE);
    assertThat(keeper.still(() -> {})).isTrue();
    kept.get(0).run();
    assertServes();
    assertThat(clock.waiting()).isZero();
    assertThat(keeper.settled()).isTrue();
  }

  @Test
  void repeatedDecisionWaitsForNoRequest() throws Exception {
    decideOnTheWay();
    int underWay = gate.enter();
    Future<?> decision = threads.submit(kept.get(0));
    assertThat(decision).succeedsWithin(Duration.ofSeconds(20));
    gate.leave(underWay);
    assertThat(keeper.settled()).isTrue();
  }
}
