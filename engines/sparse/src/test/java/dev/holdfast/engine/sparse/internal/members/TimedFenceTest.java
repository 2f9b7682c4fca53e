package dev.holdfast.engine.sparse.internal.members;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.disk.LocalReplicaDirectory;
import dev.holdfast.engine.sparse.internal.replica.MemberClock;
import dev.holdfast.engine.sparse.internal.replica.ReplicaHost;
import dev.holdfast.engine.sparse.internal.replica.ReplicaSession;
import dev.holdfast.engine.sparse.internal.replica.ReplicaStorage;
import dev.holdfast.engine.sparse.internal.replica.Token;
import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Admission of an engine to a replica whose disk may hang. */
class TimedFenceTest {
  // A call that ends earlier than this did not wait for the replica that is being opened.
  private static final Duration SOON = Duration.ofSeconds(8);

  @TempDir private Path disk;
  private final List<Runnable> looks = new ArrayList<>();
  private final MemberClock clock =
      new MemberClock() {
        @Override
        public long nanoTime() {
          return 0;
        }

        @Override
        public void later(Duration delay, Runnable action) {
          if (delay.compareTo(SOON) > 0) {
            looks.add(action);
          }
        }
      };

  // In a separate method, so that its variables are unreachable after the return.
  private WeakReference<ReplicaSession> admitAndClose() throws Exception {
    ReplicaLocation location = new ReplicaLocation("v", "r-1", "n", disk, "v-1");
    new ReplicaStorage().provision(location, 1 << 20);
    ReplicaHost host = new ReplicaHost(LocalReplicaDirectory::new, "boot");
    List<WeakReference<ReplicaSession>> sessions = new ArrayList<>();
    TimedFence fence =
        new TimedFence(
            location,
            new TimedMember.Surroundings(
                Runnable::run, clock, Duration.ofSeconds(8), new HungReplicas()),
            () -> {
              ReplicaSession session = host.fence(location, new Token(1, 1), by -> {});
              sessions.add(new WeakReference<>(session));
              return session;
            },
            () -> true);
    fence.run().close();
    return sessions.get(0);
  }

  @Test
  void aLookThatIsStillToComeKeepsNoSession() throws Exception {
    WeakReference<ReplicaSession> session = admitAndClose();
    assertThat(looks).isNotEmpty();
    long deadline = System.nanoTime() + Duration.ofMinutes(1).toNanos();
    while (session.get() != null && System.nanoTime() < deadline) {
      System.gc();
    }
    assertThat(session.get()).isNull();
    looks.get(0).run();
  }
}
